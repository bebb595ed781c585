// Which models a server has, from the words after --model and --shortlist.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dietmt::service {

struct ModelSpec {
  std::string name;  // in the API: the language pair, e.g. en-de
  std::string source;
  std::string target;
  std::filesystem::path directory;
  std::filesystem::path shortlist = {};  // of its output layer (docs/shortlist.md); empty: none
};

/// One model for each word, `src-tgt=DIR` or `DIR`. Where no languages are given they are, in this
/// order, `source_language` and `target_language` of DIR/config.json, or the last pair of language
/// codes with a hyphen between them in a name on the path, the directory's own first
/// (runs/opus-mt-en-de/best: en and de). Codes are two or three small letters, with a script or
/// region behind an underscore where one is needed (pt_BR, zh_Hant).
/// A second model of a pair takes the name of its directory. Throws ConfigError with all problems.
std::vector<ModelSpec> parse_model_specs(const std::vector<std::string>& words);

/// Gives each model its shortlist, one for each word: `NAME=FILE`, or `FILE` where there is one
/// model. Throws ConfigError with all problems.
void add_shortlists(const std::vector<std::string>& words, std::vector<ModelSpec>& specs);

}  // namespace dietmt::service
