#include "encoders/bert/bert_size.h"

#include "common/checks.h"
#include "common/memory_use.h"
#include "encoders/bert/bert.h"
#include "encoders/position/scheme/position_spec.h"
#include "encoders/transformer/stack_size.h"
#include "encoders/transformer/stacks.h"

namespace dietmt::encoders {
namespace {

constexpr const char* kPosition = "encoder.encoder.position.";

Settings settings_of(const BertConfig& config, const ParameterCounts& counts, bool as_options) {
  double positions = 0.0;
  for (const auto& [component, count] : counts)
    if (component.starts_with(kPosition)) positions += count;
  Settings settings;
  if (positions > total(counts) / 4.0)
    settings.emplace_back("position", "'" + config.position + "'");
  const auto add = [&](const char* key, int64_t size) {
    settings.emplace_back(key, std::to_string(size));
  };
  add("width", config.width);
  add("feed_forward", config.feed_forward);
  add("layers", config.layers);
  add("max_positions", config.max_positions);
  add(as_options ? "vocab_size" : "vocabulary", config.vocabulary);
  return settings;
}

}  // namespace

ParameterCounts parameter_counts(const BertConfig& config) {
  const StackConfig stack = stack_config(config);
  // An error quotes what the user wrote, without segments.
  parse_position_spec(config.position, encoding_context(stack, AttentionSite::kEncoder));
  ParameterCounts counts;
  append(counts, "encoder.encoder.", encoder_parameters(stack));
  const auto vocabulary = static_cast<double>(config.vocabulary);
  const auto add_dense = [&](const char* name, int64_t outputs) {
    counts.emplace_back(name, linear_parameters(config.width, outputs));
  };
  counts.emplace_back("encoder.piece_embedding", vocabulary * static_cast<double>(config.width));
  const BertHeads& heads = config.task_heads;
  if (heads.pooler) add_dense("pooler", config.width);
  if (heads.masked_lm) {
    add_dense("masked_lm.dense", config.width);
    counts.emplace_back("masked_lm.norm", norm_parameters(config.width));
    counts.emplace_back("masked_lm.output_bias", vocabulary);
  }
  if (heads.next_sentence) add_dense("next_sentence", 2);
  if (heads.classes > 0) add_dense("classifier", heads.classes);
  if (heads.spans) add_dense("spans", 2);
  return counts;
}

std::string memory_problem(const BertConfig& config, double bytes_per_weight,
                           const std::string& file) {
  const ParameterCounts counts = parameter_counts(config);
  return dietmt::memory_problem(settings_list(settings_of(config, counts, file.empty()), file),
                                total(counts) * bytes_per_weight);
}

}  // namespace dietmt::encoders
