// The models of a server, from the values of --model and --shortlist.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "nmt/model/config.h"

namespace dietmt::service {

struct ModelSpec {
  std::string name;  // in the API: the language pair, e.g. en-de; of several pairs the directory's
  std::string source = {};  // empty if there are several pairs
  std::string target = {};
  std::filesystem::path directory = {};
  std::filesystem::path shortlist = {};  // for its output layer (docs/shortlist.md); empty: none
  // The languages of a model of several pairs, each of the one to each of the other.
  std::vector<std::string> sources = {};
  std::vector<std::string> targets = {};
  std::string source_tag = {};      // before each source line (data::SourceTag); empty: none
  nmt::SearchDefaults search = {};  // that the model wants

  bool has_several_pairs() const { return !targets.empty(); }
  bool translates(const std::string& from, const std::string& to) const;
  std::vector<std::string> source_languages() const;
  std::vector<std::string> target_languages() const;
};

/// How much memory a loaded model takes, by the sizes of the files that are loaded: 0 for one that
/// is not there. Each worker needs some more for the sentences that it decodes.
int64_t model_bytes(const ModelSpec& spec);

/// "NAME needs 900 MB of memory: raise --model-memory, which is 500"; "" if it fits, or without a
/// limit (0).
std::string memory_problem(const std::string& name, int64_t bytes, int64_t limit);

/// One model per word, `src-tgt=DIR`, `src-*=DIR` or `DIR`, each with `,tag=TAG` after it if
/// sources begin with one. A model that lists its languages (nmt::ModelLanguages) translates all of
/// them, or with `src-*` one into all. DIR may be the name of a fetched model
/// (storage::located_model()). A DIR that is not a model itself stands for all directories in it
/// that are, by name; a warning names the others. DIR may be a file NAME.adapter
/// (nmt::is_adapter()), then called NAME. Without `src-tgt` the languages come from the last pair
/// of language codes with a hyphen in a name on the path, starting with the directory itself
/// (runs/opus-mt-en-de/best: en and de). Codes are two or three lower-case letters, in directory
/// names only those that ICU knows, optionally with a script or region after an underscore (pt_BR,
/// zh_Hant). A second model for a pair is named after its directory. Throws ConfigError with all
/// problems.
std::vector<ModelSpec> parse_model_specs(const std::vector<std::string>& words);

/// The DIR of such a word, which may be the name of a model that is not fetched yet.
std::string model_in_word(const std::string& word);

/// Leaves the models of several pairs only these languages; all if there are none. Throws
/// ConfigError naming those that no model has.
void limit_languages(const std::vector<std::string>& languages, std::vector<ModelSpec>& specs);

/// Assigns a shortlist per word: `NAME=FILE`, or `FILE` if there is only one model. The word `auto`
/// gives each model without a shortlist the shortlist.bin in its directory, if it exists. Throws
/// ConfigError with all problems.
void add_shortlists(const std::vector<std::string>& words, std::vector<ModelSpec>& specs);

}  // namespace dietmt::service
