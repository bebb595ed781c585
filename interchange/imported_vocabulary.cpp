#include "interchange/imported_vocabulary.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "data/text/piece_list.h"
#include "data/text/subwords.h"

namespace dietmt::interchange {
namespace {

using at::Tensor;

void rescale_last_norm(double factor, const nmt::ModelConfig& config, TensorsByName& values) {
  const std::string norm = config.norm == "pre"
                               ? "decoder.final_norm."
                               : "decoder.layer" + std::to_string(config.decoder_layers - 1) +
                                     ".feed_forward_residual.norm.";
  for (const char* name : {"weight", "bias"})
    if (const auto found = values.find(norm + name); found != values.end())
      found->second = found->second * factor;
}

bool are_letters(std::string_view text, char first, char last) {
  return std::ranges::all_of(text, [&](char c) { return c >= first && c <= last; });
}

// The language of `eng_Latn`, `en_XX` or `__en__` (then en); "" for other pieces.
std::string language_around(const std::string& piece) {
  if (piece.size() > 5 && piece.starts_with("__") && piece.ends_with("__"))
    return piece.substr(2, piece.size() - 4);
  const size_t mark = piece.find('_');
  if (mark != 2 && mark != 3) return "";
  const std::string_view language = std::string_view(piece).substr(0, mark);
  const std::string_view rest = std::string_view(piece).substr(mark + 1);
  const bool is_region = rest.size() == 2 && are_letters(rest, 'A', 'Z');
  const bool is_script = rest.size() == 4 && are_letters(rest.substr(0, 1), 'A', 'Z') &&
                         are_letters(rest.substr(1), 'a', 'z');
  if (!are_letters(language, 'a', 'z') || !(is_region || is_script)) return "";
  return piece;
}

// The language of `<2en>` or `>>eng<<`; "" for other pieces.
std::string language_before(const std::string& piece) {
  constexpr size_t kMarks = 2;
  const bool is_marian = piece.starts_with(">>") && piece.ends_with("<<");
  if (!is_marian && !(piece.starts_with("<2") && piece.ends_with('>'))) return "";
  const size_t ending = is_marian ? kMarks : 1;
  if (piece.size() < kMarks + 2 + ending) return "";
  const std::string code = piece.substr(kMarks, piece.size() - kMarks - ending);
  const bool is_code = std::ranges::all_of(code, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  });
  return is_code ? code : "";
}

// Without a second table in memory if nothing changes.
Tensor scaled(const Tensor& table, double factor) { return factor == 1 ? table : table * factor; }

}  // namespace

nmt::ModelLanguages languages_of(data::PieceVocabulary& vocabulary) {
  nmt::ModelLanguages around, before;
  std::vector<int32_t> tags;
  for (size_t id = 0; id < vocabulary.pieces.size(); ++id) {
    const std::string& piece = vocabulary.pieces[id];
    if (const std::string code = language_around(piece); !code.empty()) {
      around.add(code, piece);
      tags.push_back(static_cast<int32_t>(id));
    } else if (const std::string target = language_before(piece); !target.empty()) {
      before.add(target, piece);
    }
  }
  around.source_before_source = around.target_before_target = true;
  before.target_before_source = true;
  if (around.pieces.size() > 1) {
    vocabulary.tags.insert(vocabulary.tags.end(), tags.begin(), tags.end());
    return around;
  }
  return before.pieces.size() > 1 ? before : nmt::ModelLanguages();
}

void hide_special_pieces(data::PieceVocabulary& vocabulary) {
  for (size_t id = 0; id < vocabulary.pieces.size(); ++id) {
    const std::string& piece = vocabulary.pieces[id];
    const bool is_special = piece == "<s>" || piece.starts_with("<pad") || piece == "<mask>" ||
                            piece.starts_with("<unused") || piece.starts_with("<extra_id_") ||
                            piece == "<blank>" || piece.starts_with("madeupword") ||
                            piece.starts_with("averyunlikelytoken");
    if (is_special) vocabulary.tags.push_back(static_cast<int32_t>(id));
  }
}

void scale_queries(double factor, const nmt::ModelConfig& config, TensorsByName& values) {
  if (factor == 1.0) return;
  const int64_t rows = config.heads * config.width_of_heads();
  for (auto& [name, value] : values) {
    if (name.find("attention.") == name.npos) continue;
    const bool is_all = name.find("cross_attention.query_") != name.npos;
    if (!is_all && name.find("self_attention.input_") == name.npos) continue;
    value = value.clone();
    value.narrow(0, 0, is_all ? value.size(0) : rows).mul_(factor);
  }
}

Tensor ImportedVocabulary::rows(const Tensor& table, const ForeignTensors& tensors) const {
  if (table.dim() == 0 || table.size(0) != pieces)
    tensors.fail("has " + std::to_string(table.dim() == 0 ? 0 : table.size(0)) +
                 " rows of pieces, but " + tokenizer->file() + " has " + std::to_string(pieces));
  if (added.empty()) return table;
  std::vector<Tensor> parts = {table};
  for (const int32_t like : added)
    parts.push_back(like < 0 ? at::zeros_like(table.narrow(0, 0, 1)) : table.narrow(0, like, 1));
  return at::cat(parts);
}

ImportedVocabulary imported_vocabulary(data::PieceVocabulary numbered, const Splitter& splitter) {
  ImportedVocabulary made;
  made.pieces = std::ssize(numbered.pieces);
  const auto add = [&](std::string piece, int32_t like) {
    while (data::piece_id(numbered.pieces, piece) >= 0) piece += '_';
    made.added.push_back(like);
    numbered.pieces.push_back(std::move(piece));
    return static_cast<int32_t>(numbered.pieces.size()) - 1;
  };
  if (numbered.begin < 0 || numbered.begin == numbered.end || numbered.begin == numbered.unknown)
    numbered.begin = add("<begin>", numbered.begin);
  if (numbered.end < 0) numbered.end = add("<end>", -1);
  auto subwords =
      splitter.are_merges ? data::merged_pieces(std::move(numbered), splitter.bytes, splitter.where)
      : splitter.bytes.empty() ? data::listed_words(std::move(numbered), splitter.where)
                               : data::numbered_subwords(splitter.bytes, numbered, splitter.where);
  made.tokenizer = std::make_shared<data::Tokenizer>(splitter.where, std::move(subwords));
  return made;
}

bool is_one_table(const Tensor& a, const Tensor& b) { return a.is_same(b) || at::equal(a, b); }

void set_tables(const ImportedTables& tables, const ImportedVocabulary& source,
                const ImportedVocabulary& target, const ForeignTensors& tensors,
                nmt::ModelConfig& config, TensorsByName& values) {
  const double usual = std::sqrt(static_cast<double>(config.width));
  const double target_scale = tables.target_scale / usual;
  const bool ties_output = !tables.output.defined();
  const bool ties_source = ties_output && !tables.target.defined() &&
                           tables.source_scale == tables.target_scale &&
                           source.added == target.added;
  const Tensor& own_target = tables.target.defined() ? tables.target : tables.source;
  config.tied_embeddings = ties_source ? "all" : ties_output ? "decoder" : "none";
  config.source_vocabulary = source.tokenizer->vocabulary_size();
  config.target_vocabulary = target.tokenizer->vocabulary_size();
  values["source_embedding"] =
      source.rows(scaled(tables.source, tables.source_scale / usual), tensors);
  if (!ties_source)
    values["target_embedding"] = target.rows(scaled(own_target, target_scale), tensors);
  if (!ties_output)
    values["output_weight"] = target.rows(scaled(tables.output, tables.output_scale), tensors);
  const double rescaling = tables.output_scale / target_scale;
  if (ties_output && rescaling != 1.0) rescale_last_norm(rescaling, config, values);
  if (!tables.output_bias.defined() && target.added.empty()) return;
  config.output_bias = true;
  const Tensor bias =
      tables.output_bias.defined() ? tables.output_bias.flatten() : at::zeros({target.pieces});
  const auto added = static_cast<int64_t>(target.added.size());
  values["output_bias"] = at::constant_pad_nd(bias, {0, added}, kNever);
}

}  // namespace dietmt::interchange
