#include "encoders/transformer/stack_size.h"

#include "encoders/position/scheme/position_scheme.h"
#include "encoders/transformer/stacks.h"

namespace dietmt::encoders {
namespace {

// Of queries, keys, values and output.
double attention_parameters(const StackConfig& config) {
  return 4.0 * linear_parameters(config.width, config.width);
}

double feed_forward_parameters(const StackConfig& config) {
  const int64_t inner_layers = config.activation == Activation::kSwiglu ? 2 : 1;
  return linear_parameters(config.width, inner_layers * config.feed_forward) +
         linear_parameters(config.feed_forward, config.width);
}

// A layer is `attentions` blocks of attention and a feed-forward block, each with a norm.
ParameterCounts layers(const StackConfig& config, double attentions) {
  const double layer = attentions * attention_parameters(config) + feed_forward_parameters(config) +
                       (attentions + 1.0) * norm_parameters(config.width);
  ParameterCounts counts;
  for (int64_t l = 0; l < config.layers; ++l)
    counts.emplace_back("layer" + std::to_string(l), layer);
  if (config.norm == NormPlacement::kPre)
    counts.emplace_back("final_norm", norm_parameters(config.width));
  return counts;
}

}  // namespace

double linear_parameters(int64_t inputs, int64_t outputs) {
  return static_cast<double>(outputs) * (static_cast<double>(inputs) + 1.0);
}

double norm_parameters(int64_t width) { return 2.0 * static_cast<double>(width); }

ParameterCounts encoder_parameters(const StackConfig& config) {
  ParameterCounts counts = layers(config, 1.0);
  if (config.embedding_norm) counts.emplace_back("embedding_norm", norm_parameters(config.width));
  append(counts, "position.",
         position_parameters(config.position, encoding_context(config, AttentionSite::kEncoder)));
  return counts;
}

ParameterCounts decoder_parameters(const StackConfig& config) {
  ParameterCounts counts = layers(config, 2.0);
  append(counts, "position.",
         position_parameters(config.position, encoding_context(config, AttentionSite::kDecoder)));
  append(
      counts, "cross_position.",
      position_parameters(config.cross_position, encoding_context(config, AttentionSite::kCross)));
  return counts;
}

}  // namespace dietmt::encoders
