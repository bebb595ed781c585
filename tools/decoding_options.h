// The options of commands that decode: models, search, device, and where their decoder comes from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "nmt/model/model_files.h"
#include "nmt/search/search_options.h"
#include "nmt/translation/loaded_decoder.h"

namespace dietmt::tools {

struct DecodingOptions {
  std::vector<std::string> models;
  nmt::LanguageChoice languages;
  std::string device = "cpu";
  std::string cuda_graphs = "auto";
  std::string weights = "auto";
  std::string shortlist;
  nmt::SearchOptions search;
};

/// Adds an option of nmt::search_option_table(), bound to `field`.
void add_search_option(OptionTable& table, nmt::SearchOption::Field option,
                       OptionTable::Field field);

/// Adds them to the current group: the models, the languages of the lines, and these with the
/// longest source line.
void bind_model(OptionTable& table, std::vector<std::string>& models,
                const OptionRule& rule = {.required = true});
void bind_languages(OptionTable& table, nmt::LanguageChoice& languages);
void bind_source_lines(OptionTable& table, DecodingOptions& o);

/// The help of --guard. `says`: how the program reports a translation that goes wrong.
std::string guard_help(const std::string& says);

/// Each starts a group.
void bind_search(OptionTable& table, nmt::SearchOptions& search);
/// Takes the options that the first model wants and that the user has not given. After parse().
void take_search_of_model(const OptionTable& table, const std::vector<std::string>& models,
                          nmt::SearchOptions& search);
void bind_sampling(OptionTable& table, nmt::SearchOptions& search);
void bind_decoding_machine(OptionTable& table, DecodingOptions& o);

/// The first ones of the last.
void add_decoding_device(OptionTable& table, std::string& device, std::string& weights,
                         std::string& cuda_graphs);

/// All problems, one sentence each.
std::vector<std::string> decoding_problems(const DecodingOptions& o);

using DecoderSource = std::function<nmt::LoadedDecoder()>;

/// To be called once. `dietmt` loads models that need no LibTorch; for others it replaces itself
/// with `dietmt-torch`, before reading any input, to run `command` with `arguments`.
DecoderSource decoder_source(const DecodingOptions& o, const std::string& command,
                             const std::vector<std::string>& arguments);

/// What `dietmt quantize` does with a model.
struct Quantizer {
  /// Writes `model` with weights of this type into the directory.
  std::function<void(const std::filesystem::path& directory, const nmt::ModelFiles& model,
                     const std::string& type)>
      write;
  /// For the report on a test set.
  std::function<nmt::LoadedDecoder(const std::string& directory)> load;
};

/// `dietmt` takes packed fp32 weights; for full ones it replaces itself with `dietmt-torch`, to run
/// the command with `arguments`.
Quantizer quantizer(const nmt::ModelFiles& model, const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
