#include "encoders/bert/bert_config.h"

#include "common/checks.h"
#include "common/error.h"
#include "common/memory_use.h"
#include "encoders/bert/bert.h"
#include "encoders/position/scheme/position_spec.h"
#include "encoders/transformer/stack_size.h"
#include "encoders/transformer/stacks.h"

namespace dietmt::encoders {
namespace {

struct Preset {
  const char* name;
  int64_t layers, width;
};

constexpr Preset kPresets[] = {{"tiny", 2, 128},   {"mini", 4, 256},  {"small", 4, 512},
                               {"medium", 8, 512}, {"base", 12, 768}, {"large", 24, 1024}};
constexpr int64_t kHeadWidth = 64;
constexpr int64_t kFeedForwardRatio = 4;

constexpr const char* kPosition = "encoder.encoder.position.";

Settings settings_of(const BertConfig& config, const ParameterCounts& counts, bool as_options) {
  Settings settings;
  if (are_large(counts, kPosition)) settings.emplace_back("position", "'" + config.position + "'");
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

BertConfig BertConfig::preset(const std::string& name) {
  std::string names;
  for (const Preset& preset : kPresets) {
    if (name == preset.name) {
      BertConfig config;
      config.layers = preset.layers;
      config.width = preset.width;
      config.feed_forward = kFeedForwardRatio * preset.width;
      config.heads = preset.width / kHeadWidth;
      return config;
    }
    names += (names.empty() ? "" : ", ") + std::string(preset.name);
  }
  throw ConfigError("--preset is '" + name + "'; possible: " + names);
}

std::vector<std::string> BertConfig::problems(const std::string& file) const {
  std::vector<std::string> found;
  const auto name = [&](const char* key) { return setting_name(key, file); };
  const auto check = [&](const char* key, const OptionRule& rule, auto value) {
    check_range(found, name(key), rule, value);
  };
  check(file.empty() ? "vocab_size" : "vocabulary", ranges::kVocabulary, vocabulary);
  check("layers", ranges::kLayers, layers);
  check("width", ranges::kWidth, width);
  check("feed_forward", ranges::kFeedForward, feed_forward);
  check("heads", ranges::kHeads, heads);
  check("max_positions", ranges::kMaxPositions, max_positions);
  check_divisible(found, name("width"), width, setting_key("heads", file), heads);
  check("segment_encoding", {.choices = {"input", "heads", "none"}}, segment_encoding);
  if (segment_encoding != "none") check("segments", {.least = 1, .most = 1024}, segments);
  if (position.find("segments") != std::string::npos) {
    found.push_back(name("position") + " is '" + position +
                    "'; use --segment-encoding for segments");
  }
  check("activation", {.choices = {"gelu", "relu"}}, activation);
  check("norm_epsilon", {.above = 0, .most = 1}, norm_epsilon);
  check("dropout", ranges::kDropout, dropout);
  check("attention_dropout", ranges::kDropout, attention_dropout);
  check("activation_dropout", ranges::kDropout, activation_dropout);
  check("embedding_dropout", ranges::kDropout, embedding_dropout);
  check("head_dropout", ranges::kDropout, head_dropout);
  check("classes", {.least = 0, .most = 1 << 20}, task_heads.classes);
  check("tags", {.least = 0, .most = 1 << 20}, task_heads.tags);
  if (!task_heads.pooler && (task_heads.next_sentence || task_heads.classes > 0))
    found.push_back("the heads for the next sentence and for classes need the pooler");
  return found;
}

std::string BertConfig::position_and_segments() const {
  if (segment_encoding == "none") return position;
  const std::string own = segment_encoding == "input" ? "input-segments" : "segments";
  std::string named = position;
  std::erase(named, ' ');
  return named == "none" ? own : position + "+" + own;
}

ParameterCounts parameter_counts(const BertConfig& config) {
  const StackConfig stack = stack_config(config);
  // An error quotes the user's spec, without segments.
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
  if (heads.tags > 0) add_dense("tags", heads.tags);
  return counts;
}

std::string memory_problem(const BertConfig& config, double bytes_per_weight,
                           const std::string& file) {
  const ParameterCounts counts = parameter_counts(config);
  return dietmt::memory_problem(settings_list(settings_of(config, counts, file.empty()), file),
                                total(counts) * bytes_per_weight);
}

}  // namespace dietmt::encoders
