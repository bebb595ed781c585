#include "interchange/imported_vocabulary.h"

#include <ATen/ATen.h>

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

}  // namespace

Tensor ImportedVocabulary::rows(const Tensor& table, const ForeignTensors& tensors) const {
  if (table.dim() == 0 || table.size(0) != pieces)
    tensors.fail("has " + std::to_string(table.dim() == 0 ? 0 : table.size(0)) +
                 " rows of pieces, but " + tokenizer->file() + " has " + std::to_string(pieces));
  std::vector<Tensor> parts = {table};
  for (const int32_t like : added)
    parts.push_back(like < 0 ? at::zeros_like(table.narrow(0, 0, 1)) : table.narrow(0, like, 1));
  return at::cat(parts);
}

ImportedVocabulary imported_vocabulary(data::PieceVocabulary numbered, const Splitter& splitter) {
  ImportedVocabulary made;
  made.pieces = std::ssize(numbered.pieces);
  if (numbered.begin < 0 || numbered.begin == numbered.end || numbered.begin == numbered.unknown) {
    made.added.push_back(numbered.begin);
    std::string piece = "<begin>";
    while (data::piece_id(numbered.pieces, piece) >= 0) piece += '_';
    numbered.begin = static_cast<int32_t>(made.pieces);
    numbered.pieces.push_back(std::move(piece));
  }
  auto subwords = splitter.bytes.empty()
                      ? data::listed_words(std::move(numbered), splitter.where)
                      : data::numbered_subwords(splitter.bytes, numbered, splitter.where);
  made.tokenizer = std::make_shared<data::Tokenizer>(splitter.where, std::move(subwords));
  return made;
}

void set_tables(const ImportedTables& tables, const ImportedVocabulary& source,
                const ImportedVocabulary& target, const ForeignTensors& tensors,
                nmt::ModelConfig& config, TensorsByName& values) {
  const double usual = std::sqrt(static_cast<double>(config.width));
  const double target_scale = tables.target_scale / usual;
  const bool ties_output = !tables.output.defined();
  const bool ties_source = ties_output && !tables.target.defined() &&
                           tables.source_scale == tables.target_scale &&
                           source.tokenizer == target.tokenizer;
  const Tensor& own_target = tables.target.defined() ? tables.target : tables.source;
  config.tied_embeddings = ties_source ? "all" : ties_output ? "decoder" : "none";
  config.source_vocabulary = source.tokenizer->vocabulary_size();
  config.target_vocabulary = target.tokenizer->vocabulary_size();
  values["source_embedding"] = source.rows(tables.source * (tables.source_scale / usual), tensors);
  if (!ties_source) values["target_embedding"] = target.rows(own_target * target_scale, tensors);
  if (!ties_output)
    values["output_weight"] = target.rows(tables.output * tables.output_scale, tensors);
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
