#include "encoders/transformer/stacks.h"

#include <torch/torch.h>

namespace dietmt::encoders {
namespace {

using at::Tensor;

std::shared_ptr<PositionScheme> make_scheme(const StackConfig& config, AttentionSite site,
                                            const std::string& spec) {
  EncodingContext context;
  context.site = site;
  context.layers = config.layers;
  context.heads = config.heads;
  context.head_width = config.width / config.heads;
  context.model_width = config.width;
  context.max_positions = config.max_positions;
  return std::make_shared<PositionScheme>(spec, context);
}

Extent full_extent(const Packing& queries, const Packing& keys) {
  return {0, queries.max_length(), keys.max_length()};
}

}  // namespace

EncoderStack::EncoderStack(const StackConfig& config) : config_(config) {
  position_ =
      register_module("position", make_scheme(config, AttentionSite::kEncoder, config.position));
  for (int64_t l = 0; l < config.layers; ++l) {
    layers_.push_back(register_module("layer" + std::to_string(l),
                                      std::make_shared<EncoderLayer>(config, false)));
  }
  if (config.norm == NormPlacement::kPre)
    final_norm_ = register_module("final_norm", std::make_shared<LayerNorm>(config.width));
}

Tensor EncoderStack::forward(const Tensor& embeddings, const Packing& packing, Backend backend,
                             DropoutKeys* keys) const {
  Tensor x = dropout(position_->embed(embeddings, packing.positions()),
                     dropout_site(config_.embedding_dropout, keys));
  const Extent extent = full_extent(packing, packing);
  for (size_t l = 0; l < layers_.size(); ++l) {
    const ScoreTerms terms = position_->terms(static_cast<int64_t>(l), extent);
    x = layers_[l]->forward(x, packing, terms, backend, keys);
  }
  return final_norm_ ? final_norm_->forward(x) : x;
}

DecoderStack::DecoderStack(const StackConfig& config) : config_(config) {
  position_ =
      register_module("position", make_scheme(config, AttentionSite::kDecoder, config.position));
  cross_position_ = register_module(
      "cross_position", make_scheme(config, AttentionSite::kCross, config.cross_position));
  for (int64_t l = 0; l < config.layers; ++l) {
    layers_.push_back(
        register_module("layer" + std::to_string(l), std::make_shared<DecoderLayer>(config)));
  }
  if (config.norm == NormPlacement::kPre)
    final_norm_ = register_module("final_norm", std::make_shared<LayerNorm>(config.width));
}

Tensor DecoderStack::forward(const Tensor& embeddings, const Packing& packing, const Tensor& memory,
                             const Packing& memory_packing, Backend backend,
                             DropoutKeys* keys) const {
  Tensor x = dropout(position_->embed(embeddings, packing.positions()),
                     dropout_site(config_.embedding_dropout, keys));
  const Extent extent = full_extent(packing, packing);
  const Extent cross_extent = full_extent(packing, memory_packing);
  for (size_t l = 0; l < layers_.size(); ++l) {
    const ScoreTerms terms = position_->terms(static_cast<int64_t>(l), extent);
    const ScoreTerms cross_terms = cross_position_->terms(static_cast<int64_t>(l), cross_extent);
    x = layers_[l]->forward(x, packing, terms, memory, memory_packing, cross_terms, backend, keys);
  }
  return final_norm_ ? final_norm_->forward(x) : x;
}

std::vector<CrossAttention::Memory> DecoderStack::project_memory(const Tensor& memory) const {
  std::vector<CrossAttention::Memory> projected;
  for (const auto& layer : layers_) projected.push_back(layer->project_memory(memory));
  return projected;
}

Tensor DecoderStack::step(const Tensor& embeddings, int64_t position,
                          std::vector<StepTensors> cache, const Tensor& source_mask) const {
  const Tensor positions =
      at::full({embeddings.size(0)}, position, embeddings.options().dtype(at::kLong));
  Tensor x = position_->embed(embeddings, positions);
  const Extent extent{position, 1, position + 1};
  for (size_t l = 0; l < layers_.size(); ++l) {
    const ScoreTerms terms = position_->terms(static_cast<int64_t>(l), extent);
    const Extent cross_extent{position, 1, cache[l].cross_keys.size(2)};
    const ScoreTerms cross_terms = cross_position_->terms(static_cast<int64_t>(l), cross_extent);
    const DecoderLayer::StepCache layer_cache{cache[l].self_keys,  cache[l].self_values,
                                              cache[l].cross_keys, cache[l].cross_values,
                                              source_mask,         position};
    x = layers_[l]->step(x, layer_cache, terms, cross_terms);
  }
  return final_norm_ ? final_norm_->forward(x) : x;
}

}  // namespace dietmt::encoders
