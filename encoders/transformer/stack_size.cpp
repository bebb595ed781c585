#include "encoders/transformer/stack_size.h"

#include "encoders/position/scheme/position_scheme.h"
#include "encoders/transformer/stacks.h"

namespace dietmt::encoders {
namespace {

// Parameters of queries, keys, values, output and the norms of queries and keys.
double attention_parameters(const StackConfig& config) {
  const int64_t head_width = config.head_width(), queries = config.heads * head_width;
  const int64_t key_heads = config.kv_heads > 0 ? config.kv_heads : config.heads;
  const double norms = config.qk_norm ? 2.0 * static_cast<double>(head_width) : 0.0;
  return linear_parameters(config.width, queries) + linear_parameters(queries, config.width) +
         2.0 * linear_parameters(config.width, key_heads * head_width) + norms;
}

double feed_forward_parameters(const StackConfig& config) {
  const int64_t inner_layers = is_gated(config.activation) ? 2 : 1;
  return linear_parameters(config.width, inner_layers * config.feed_forward) +
         linear_parameters(config.feed_forward, config.width);
}

double recurrence_parameters(const StackConfig& config) {
  return linear_parameters(config.width, 2 * config.width) - static_cast<double>(config.width);
}

double adapter_parameters(const StackConfig& config) {
  return norm_parameters(config.width, config.norm_type) +
         linear_parameters(config.width, config.adapter) +
         linear_parameters(config.adapter, config.width);
}

// A layer is `blocks` and a feed-forward block, each with a norm.
ParameterCounts layers(const StackConfig& config, const std::vector<double>& blocks) {
  const double norm = norm_parameters(config.width, config.norm_type);
  double layer = feed_forward_parameters(config) + norm;
  for (const double block : blocks) layer += block + norm;
  if (config.adapter > 0) layer += adapter_parameters(config);
  ParameterCounts counts;
  for (int64_t l = 0; l < config.layers; ++l)
    counts.emplace_back("layer" + std::to_string(l), layer);
  if (config.norm == NormPlacement::kPre) counts.emplace_back("final_norm", norm);
  if (config.embedding_norm) counts.emplace_back("embedding_norm", norm);
  return counts;
}

}  // namespace

double linear_parameters(int64_t inputs, int64_t outputs) {
  return static_cast<double>(outputs) * (static_cast<double>(inputs) + 1.0);
}

double norm_parameters(int64_t width, NormType type) {
  return (type == NormType::kRms ? 1.0 : 2.0) * static_cast<double>(width);
}

ParameterCounts encoder_parameters(const StackConfig& config) {
  ParameterCounts counts = layers(config, {attention_parameters(config)});
  append(counts, "position.",
         position_parameters(config.position, encoding_context(config, AttentionSite::kEncoder)));
  return counts;
}

ParameterCounts decoder_parameters(const StackConfig& config) {
  const double attention = attention_parameters(config);
  ParameterCounts counts =
      layers(config, {config.recurrent ? recurrence_parameters(config) : attention, attention});
  append(counts, "position.",
         position_parameters(config.position, encoding_context(config, AttentionSite::kDecoder)));
  append(
      counts, "cross_position.",
      position_parameters(config.cross_position, encoding_context(config, AttentionSite::kCross)));
  return counts;
}

}  // namespace dietmt::encoders
