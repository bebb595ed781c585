#include "encoders/bert/bert_model.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "common/error.h"
#include "encoders/position/scheme/position_spec.h"
#include "encoders/transformer/stacks.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

StackConfig stack_config(const BertConfig& config) {
  StackConfig stack;
  stack.layers = config.layers;
  stack.width = config.width;
  stack.feed_forward = config.feed_forward;
  stack.heads = config.heads;
  stack.max_positions = config.max_positions;
  stack.segments = config.segments;
  stack.starts_with_summary = true;
  stack.norm_epsilon = config.norm_epsilon;
  stack.embedding_norm = true;
  stack.embedding_deviation = kBertDeviation;
  stack.activation = config.activation == "relu" ? Activation::kRelu : Activation::kGelu;
  stack.position = config.position_and_segments();
  stack.dropout = config.dropout;
  stack.attention_dropout = config.attention_dropout;
  stack.activation_dropout = config.activation_dropout;
  stack.embedding_dropout = config.embedding_dropout;
  return stack;
}

/// Draws the matrices of all layers; encodings draw their own parameters.
void draw_weights(EncoderStack& stack) {
  const torch::NoGradGuard no_grad;
  for (auto& item : stack.named_parameters()) {
    if (item.value().dim() == 2 && !item.key().starts_with("position."))
      item.value().normal_(0.0, kBertDeviation);
  }
}

Packing with_segments(const Packing& packing, const Tensor& pieces) {
  Packing complete = packing;
  if (!packing.segments().defined()) complete.set_segments(at::zeros_like(pieces));
  return complete;
}

}  // namespace

BertModel::BertModel(const BertConfig& config) : config_(config) {
  throw_if_any(config.problems());
  const StackConfig stack = stack_config(config);
  const EncodingContext context = encoding_context(stack, AttentionSite::kEncoder);
  config_.position = canonical_position_spec(parse_position_spec(config.position, context));
  piece_embedding_ = register_parameter(
      "piece_embedding",
      torch::empty({config.vocabulary, config.width}).normal_(0.0, kBertDeviation));
  encoder_ = register_module("encoder", std::make_shared<EncoderStack>(stack));
  draw_weights(*encoder_);
}

Tensor BertModel::forward(const Tensor& pieces, const Packing& packing,
                          DropoutKeys* dropout) const {
  return encoder_->forward(at::embedding(piece_embedding_, pieces), with_segments(packing, pieces),
                           backend_, dropout);
}

std::vector<Tensor> BertModel::hidden_states(const Tensor& pieces, const Packing& packing,
                                             DropoutKeys* dropout) const {
  return encoder_->hidden_states(at::embedding(piece_embedding_, pieces),
                                 with_segments(packing, pieces), backend_, dropout);
}

const PositionScheme& BertModel::position() const { return encoder_->position(); }

int64_t BertModel::max_length() const { return encoder_->position().max_length(); }

void BertModel::set_recomputation(bool wanted) { encoder_->set_recomputation(wanted); }

}  // namespace dietmt::encoders
