#include "nmt/network/stack_configs.h"

namespace dietmt::nmt {
namespace {

using encoders::StackConfig;

encoders::Activation activation_of(const std::string& name) {
  if (name == "gelu") return encoders::Activation::kGelu;
  if (name == "silu") return encoders::Activation::kSilu;
  return name == "swiglu" ? encoders::Activation::kSwiglu : encoders::Activation::kRelu;
}

StackConfig stack_config(const ModelConfig& config) {
  StackConfig stack;
  stack.width = config.width;
  stack.feed_forward = config.feed_forward;
  stack.heads = config.heads;
  stack.max_positions = config.max_positions;
  stack.norm =
      config.norm == "pre" ? encoders::NormPlacement::kPre : encoders::NormPlacement::kPost;
  stack.activation = activation_of(config.activation);
  stack.dropout = config.dropout;
  stack.attention_dropout = config.attention_dropout;
  stack.activation_dropout = config.activation_dropout;
  stack.embedding_dropout = config.embedding_dropout;
  return stack;
}

}  // namespace

encoders::StackConfig encoder_config(const ModelConfig& config) {
  StackConfig stack = stack_config(config);
  stack.layers = config.encoder_layers;
  stack.position = config.encoder_position;
  return stack;
}

encoders::StackConfig decoder_config(const ModelConfig& config) {
  StackConfig stack = stack_config(config);
  stack.layers = config.decoder_layers;
  stack.position = config.decoder_position;
  stack.cross_position = config.cross_position;
  return stack;
}

}  // namespace dietmt::nmt
