#include "interchange/huggingface/tokenizer_json.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "common/error.h"
#include "common/files.h"
#include "data/text/model_pieces.h"
#include "interchange/huggingface/transformers_config.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t word = 0;
    for (size_t j = 0; j < 3; ++j)
      word = word << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (size_t j = 0; j < 4; ++j) text += j <= count ? kDigits[word >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

json unigram(const data::ModelPieces& model, int32_t unknown) {
  json vocabulary = json::array();
  for (const data::ModelPiece& piece : model.pieces)
    vocabulary.push_back(json::array({piece.text, piece.score}));
  return {{"type", "Unigram"}, {"unk_id", unknown}, {"vocab", vocabulary}};
}

// sentencepiece merges the neighbours whose union has the highest score, however the union is
// split.
json bpe(const data::ModelPieces& model, int32_t unknown) {
  std::map<std::string_view, size_t> ids;  // of pieces in text
  json vocabulary = json::object();
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    const data::ModelPiece& piece = model.pieces[id];
    vocabulary[piece.text] = id;
    if (piece.normal) ids[piece.text] = id;
  }
  std::vector<std::tuple<double, size_t, size_t>> merges;  // negated score, left, right
  for (const auto& [text, id] : ids) {
    for (size_t length = 1; length < text.size(); ++length) {
      const auto left = ids.find(text.substr(0, length)), right = ids.find(text.substr(length));
      if (left != ids.end() && right != ids.end())
        merges.emplace_back(-model.pieces[id].score, left->second, right->second);
    }
  }
  std::ranges::sort(merges);
  json pairs = json::array();
  for (const auto& [unused, left, right] : merges)
    pairs.push_back(model.pieces[left].text + ' ' + model.pieces[right].text);
  return {{"type", "BPE"},
          {"unk_token", model.pieces[static_cast<size_t>(unknown)].text},
          {"fuse_unk", true},
          {"vocab", vocabulary},
          {"merges", pairs}};
}

json sequence(const char* text, int type) {
  return {{"Sequence", {{"id", text}, {"type_id", type}}}};
}

json special_piece(const std::string& name, int type) {
  return {{"SpecialToken", {{"id", name}, {"type_id", type}}}};
}

}  // namespace

void write_tokenizer_json(const std::filesystem::path& directory, std::string_view model_bytes,
                          const data::SpecialPieces& special, int64_t max_length) {
  const data::ModelPieces model = data::model_pieces(model_bytes);
  if (model.model == data::SubwordModel::kOther)
    throw ConfigError(
        "transformers has no tokenizer for sentencepiece models of words or characters");
  json added = json::array();
  json config = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                 {"model_max_length", max_length},
                 {"model_input_names", {"input_ids", "token_type_ids", "attention_mask"}},
                 {"clean_up_tokenization_spaces", false}};
  for (const auto& [name, field] : data::kSpecialPieces) {
    added.push_back({{"id", special.*field},
                     {"content", name},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
    std::string key(name.substr(1, name.size() - 2));
    std::ranges::transform(key, key.begin(), [](char c) { return static_cast<char>(c | 0x20); });
    config[key + "_token"] = name;
  }
  json normalizers = json::array();
  if (!model.normalization.empty())
    normalizers.push_back(
        {{"type", "Precompiled"}, {"precompiled_charsmap", base64(model.normalization)}});
  normalizers.push_back({{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}});
  normalizers.push_back({{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}});
  const json words = {{"type", "Metaspace"},
                      {"replacement", "\u2581"},
                      {"prepend_scheme", "always"},
                      {"split", true}};
  const std::string classify = "[CLS]", separate = "[SEP]";
  const json single = {special_piece(classify, 0), sequence("A", 0), special_piece(separate, 0)};
  json pair = single;
  pair.push_back(sequence("B", 1));
  pair.push_back(special_piece(separate, 1));
  const auto template_piece = [](const std::string& name, int32_t id) {
    return json{{"id", name}, {"ids", {id}}, {"tokens", {name}}};
  };
  const json tokenizer = {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens", added},
      {"normalizer", {{"type", "Sequence"}, {"normalizers", normalizers}}},
      {"pre_tokenizer", words},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", single},
        {"pair", pair},
        {"special_tokens",
         {{classify, template_piece(classify, special.classify)},
          {separate, template_piece(separate, special.separate)}}}}},
      {"decoder", words},
      {"model", model.model == data::SubwordModel::kBpe ? bpe(model, special.unknown)
                                                        : unigram(model, special.unknown)}};
  write_file_atomically(directory / kTokenizerJson, tokenizer.dump() + "\n");
  write_file_atomically(directory / kTokenizerConfig, config.dump(2) + "\n");
}

}  // namespace dietmt::interchange
