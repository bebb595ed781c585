#include "nmt/network/stack_configs.h"

#include <algorithm>

#include "common/error.h"
#include "encoders/position/scheme/position_scheme.h"
#include "encoders/transformer/stacks.h"

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

std::vector<std::string> position_problems(const ModelConfig& config, const std::string& file) {
  using encoders::AttentionSite;
  std::vector<std::string> found;
  const auto check = [&](const char* key, const std::string& spec, const StackConfig& stack,
                         AttentionSite site) {
    try {
      const encoders::PositionScheme scheme(spec, encoders::encoding_context(stack, site));
    } catch (const ConfigError& error) {
      const std::string place = file.empty() ? "" : file + ": " + key + ": ";
      if (std::ranges::find(found, place + error.what()) == found.end())
        found.push_back(place + error.what());
    }
  };
  const StackConfig encoder = encoder_config(config), decoder = decoder_config(config);
  check("encoder_position", config.encoder_position, encoder, AttentionSite::kEncoder);
  check("decoder_position", config.decoder_position, decoder, AttentionSite::kDecoder);
  check("cross_position", config.cross_position, decoder, AttentionSite::kCross);
  return found;
}

}  // namespace dietmt::nmt
