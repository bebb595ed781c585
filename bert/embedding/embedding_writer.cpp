#include "bert/embedding/embedding_writer.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "common/error.h"
#include "encoders/attention/packing.h"
#include "encoders/bert/pooling.h"

namespace dietmt::bert {
namespace fs = std::filesystem;
namespace {

using at::Tensor;

storage::NpyShape shape_of(const encoders::BertConfig& config, const EmbeddingOptions& options) {
  if (options.layer && (*options.layer < 0 || *options.layer > config.layers)) {
    throw ConfigError("there is no layer " + std::to_string(*options.layer) +
                      "; the model has 0 (embeddings) to " + std::to_string(config.layers));
  }
  return {.row = {config.width}, .layers = options.layer ? 0 : config.layers + 1};
}

}  // namespace

Pooling parse_pooling(const std::string& name) {
  if (name == "none") return Pooling::kNone;
  if (name == "cls") return Pooling::kFirst;
  if (name == "mean") return Pooling::kMean;
  throw ConfigError("'" + name + "' is not a pooling method; possible: none, cls, mean");
}

Tensor pool(const Tensor& hidden, const encoders::Packing& packing, Pooling pooling) {
  if (pooling == Pooling::kNone) return hidden;
  return pooling == Pooling::kMean ? encoders::mean_states(hidden, packing)
                                   : encoders::first_states(hidden, packing);
}

fs::path EmbeddingWriter::offsets_path(fs::path path) {
  return path.replace_extension(".offsets.npy");
}

EmbeddingWriter::EmbeddingWriter(const encoders::Bert& model, const EmbeddingOptions& options,
                                 const fs::path& path)
    : model_(model), options_(options), states_(path, shape_of(model.config(), options)) {
  if (options_.pooling != Pooling::kNone) return;
  offsets_.emplace(offsets_path(path), storage::NpyShape{});
  offsets_->append(std::vector<int64_t>{0});
}

void EmbeddingWriter::add(const data::EncoderInput& input) {
  const int64_t length = std::ssize(input.ids);
  if (std::ssize(pieces_) + length > options_.batch_tokens) run_batch();
  pieces_.insert(pieces_.end(), input.ids.begin(), input.ids.end());
  segments_.insert(segments_.end(), static_cast<size_t>(input.second_begin), 0);
  segments_.resize(pieces_.size(), 1);
  lengths_.push_back(length);
  ++inputs_;
  tokens_ += length;
  if (offsets_) offsets_->append(std::vector<int64_t>{tokens_});
}

std::vector<Tensor> EmbeddingWriter::hidden_states(const Tensor& pieces,
                                                   const encoders::Packing& packing) const {
  const encoders::BertModel& encoder = model_.encoder();
  if (!options_.layer) return encoder.hidden_states(pieces, packing);
  if (*options_.layer == model_.config().layers) return {encoder.forward(pieces, packing)};
  return {encoder.hidden_states(pieces, packing)[static_cast<size_t>(*options_.layer)]};
}

void EmbeddingWriter::run_batch() {
  if (lengths_.empty()) return;
  const torch::NoGradGuard no_grad;
  const at::Device device = model_.encoder().piece_embedding().device();
  encoders::Packing packing(lengths_, device);
  if (model_.config().segments > 1) packing.set_segments(encoders::ids_of(segments_, device));

  int64_t index = 0;
  for (const Tensor& hidden : hidden_states(encoders::ids_of(pieces_, device), packing)) {
    const Tensor rows = pool(hidden, packing, options_.pooling).to(at::kCPU).contiguous();
    states_.append({rows.const_data_ptr<float>(), static_cast<size_t>(rows.numel())}, index++);
  }
  pieces_.clear();
  segments_.clear();
  lengths_.clear();
}

void EmbeddingWriter::commit() {
  run_batch();
  if (offsets_) offsets_->commit();
  states_.commit();
}

}  // namespace dietmt::bert
