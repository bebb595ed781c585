// The models of a server, from the values of --model and --shortlist.
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
  std::filesystem::path shortlist = {};  // for its output layer (docs/shortlist.md); empty: none
};

/// One model per word, `src-tgt=DIR` or `DIR`. DIR may be the name of a fetched model
/// (storage::located_model()). A DIR that is not a model itself stands for all directories in it
/// that are, by name; a warning names the others. DIR may be a file NAME.adapter
/// (nmt::is_adapter()), then called NAME. Without `src-tgt` the languages come from the last pair
/// of language codes with a hyphen in a name on the path, starting with the directory itself
/// (runs/opus-mt-en-de/best: en and de). Codes are two or three lower-case letters, in directory
/// names only those that ICU knows, optionally with a script or region after an underscore (pt_BR,
/// zh_Hant). A second model for a pair is named after its directory. Throws ConfigError with all
/// problems.
std::vector<ModelSpec> parse_model_specs(const std::vector<std::string>& words);

/// Assigns a shortlist per word: `NAME=FILE`, or `FILE` if there is only one model. The word `auto`
/// gives each model without a shortlist the shortlist.bin in its directory, if it exists. Throws
/// ConfigError with all problems.
void add_shortlists(const std::vector<std::string>& words, std::vector<ModelSpec>& specs);

}  // namespace dietmt::service
