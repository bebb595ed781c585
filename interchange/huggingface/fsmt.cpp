#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "data/text/merged_pieces.h"
#include "data/text/moses.h"
#include "data/text/piece_list.h"
#include "interchange/foreign_tensors.h"
#include "interchange/huggingface/bart_names.h"
#include "interchange/huggingface/generation_config.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/translation_models.h"
#include "interchange/huggingface/vocabulary_json.h"
#include "interchange/huggingface/weights.h"
#include "interchange/imported_vocabulary.h"
#include "nmt/network/unset_model.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;
using nlohmann::json;

constexpr const char* kFsmtOutput = "model.decoder.output_projection.weight";
constexpr int64_t kFsmtPadding = 1;  // positions begin with the next number

struct Side {
  const char* file;
  const char* size;  // in config.json
};
constexpr std::array<Side, 2> kSides = {
    {{"vocab-src.json", "src_vocab_size"}, {"vocab-tgt.json", "tgt_vocab_size"}}};

std::map<std::string, std::string> fsmt_settings() {
  std::map<std::string, std::string> names = bart_settings();
  names["source_vocabulary"] = kSides[0].size;
  names["target_vocabulary"] = kSides[1].size;
  return names;
}

nmt::ModelConfig fsmt_sizes(const json& description) {
  std::vector<std::string> problems;
  add_differences(description, problems);
  if (const auto padding = field_or(description, "pad_token_id", kFsmtPadding);
      padding != kFsmtPadding)
    problems.push_back("pad_token_id is " + std::to_string(padding) + "; only 1 is known");
  throw_if_any(problems);
  nmt::ModelConfig config = read_bart_sizes(description, kSides[0].size, kSides[1].size);
  config.norm = "post";
  config.tied_embeddings = "decoder";
  config.activation =
      transformers_activation(field_or<std::string>(description, "activation_function", "relu"));
  config.encoder_position = config.decoder_position = "sinusoidal(layout=halves,start=2)";
  return config;
}

/// The file that describes the tokenizer, which may be the model's.
std::pair<fs::path, json> fsmt_settings_file(const fs::path& directory) {
  const fs::path own = directory / kTokenizerConfig;
  if (fs::exists(own))
    if (json settings = read_json_object(own); settings.contains("langs"))
      return {own, std::move(settings)};
  return {directory / kTransformersConfig, read_json_object(directory / kTransformersConfig)};
}

/// Moses' rules for both languages.
std::array<const data::MosesLanguage*, 2> moses_languages(const fs::path& directory) {
  const auto [path, settings] = fsmt_settings_file(directory);
  const json langs = settings.value("langs", json());
  if (!langs.is_array() || langs.size() != 2 || !langs[0].is_string() || !langs[1].is_string())
    throw CheckpointError(path.string() + ": langs must list the two languages of the model");
  if (settings.value("do_lower_case", json()) == true)
    throw CheckpointError(path.string() +
                          ": do_lower_case is true; only text with its capitals is read");
  std::array<const data::MosesLanguage*, 2> languages = {};
  for (size_t side = 0; side < 2; ++side) {
    const auto code = langs[side].get<std::string>();
    languages[side] = data::moses_language(code);
    if (languages[side] == nullptr)
      throw CheckpointError(path.string() + ": langs has '" + code +
                            "'; dietmt has the rules of Moses' tokenizer for de, en and ru");
  }
  return languages;
}

/// In fairseq's form: FSMT marks the ends of words instead of pieces that do not end them.
std::string marked(const std::string& piece) {
  constexpr std::string_view kWordEnd = "</w>";
  constexpr std::array<std::string_view, 4> kUnmarked = {"<s>", "<pad>", "</s>", "<unk>"};
  if (piece.ends_with(kWordEnd)) return piece.substr(0, piece.size() - kWordEnd.size());
  return std::ranges::count(kUnmarked, piece) > 0 ? piece : piece + "@@";
}

std::vector<std::string> marked_pieces(const fs::path& file) {
  std::vector<std::string> pieces = read_vocabulary_json(file);
  for (std::string& piece : pieces) piece = marked(piece);
  return pieces;
}

ImportedVocabulary fsmt_vocabulary(const fs::path& directory, const json& description,
                                   std::vector<std::string> pieces,
                                   const data::MosesLanguage& language) {
  data::PieceVocabulary numbered;
  numbered.pieces = std::move(pieces);
  const int64_t size = std::ssize(numbered.pieces);
  numbered.unknown = data::piece_id(numbered.pieces, "<unk>");
  numbered.begin = piece_number(directory, description, "decoder_start_token_id", size);
  numbered.end = piece_number(directory, description, "eos_token_id", size);
  hide_special_pieces(numbered);
  const fs::path merges = directory / kMerges;
  return imported_vocabulary(
      std::move(numbered), {data::merge_rules(language, data::MosesSteps::kAll, read_file(merges)),
                            merges.string(), /*are_merges=*/true});
}

ImportedTables fsmt_tables(ForeignTensors& tensors, const json& description, int64_t width,
                           bool is_shared) {
  ImportedTables tables;
  tables.source = tensors.take(kBartSource);
  std::vector<std::string> names = {kBartTarget, kFsmtOutput};
  if (field_or(description, "tie_word_embeddings", false)) names.emplace_back(kBartSource);
  const Tensor target = tensors.take_first(names);
  if (!is_shared || !is_one_table(tables.source, target)) tables.target = target;
  if (field_or(description, "scale_embedding", true))
    tables.source_scale = tables.target_scale = std::sqrt(static_cast<double>(width));
  return tables;
}

}  // namespace

nmt::LoadedModel import_fsmt(const fs::path& directory) {
  const fs::path path = directory / kTransformersConfig;
  const json description = read_json_object(path);
  nmt::ModelConfig config = checked_config(path, description, fsmt_sizes, fsmt_settings());
  const auto languages = moses_languages(directory);
  const json generation = with_generation(directory, description);
  const std::vector<std::string> pieces[] = {marked_pieces(directory / kSides[0].file),
                                             marked_pieces(directory / kSides[1].file)};
  const bool is_shared = pieces[0] == pieces[1];
  const ImportedVocabulary source =
      fsmt_vocabulary(directory, generation, pieces[0], *languages[0]);
  const ImportedVocabulary target =
      fsmt_vocabulary(directory, generation, pieces[1], *languages[1]);
  read_generation_config(directory, description, *target.tokenizer, config, config.max_positions);
  ForeignTensors tensors(directory, load_weights(directory));
  TensorsByName values = tensors.take_layers(config, bart_names());
  for (const char* sinusoids : kBartPositions) tensors.ignore(sinusoids);
  set_tables(fsmt_tables(tensors, description, config.width, is_shared), source, target, tensors,
             config, values);
  tensors.warn_of_others();
  const auto model = nmt::unset_model(config);
  set_parameters(*model, values, directory);
  model->eval();
  return {model, source.tokenizer, target.tokenizer, directory};
}

}  // namespace dietmt::interchange
