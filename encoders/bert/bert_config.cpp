#include "encoders/bert/bert_config.h"

#include "common/error.h"

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

std::vector<std::string> BertConfig::problems() const {
  std::vector<std::string> found;
  check_positive(found, "vocabulary", vocabulary);
  check_positive(found, "--layers", layers);
  check_positive(found, "--width", width);
  check_positive(found, "--feed-forward", feed_forward);
  check_positive(found, "--heads", heads);
  check_positive(found, "--max-positions", max_positions);
  check_divisible(found, "--width", width, "--heads", heads);
  check_choice(found, "--segment-encoding", segment_encoding, {"input", "heads", "none"});
  if (segment_encoding != "none") check_positive(found, "--segments", segments);
  if (position.find("segments") != std::string::npos) {
    found.push_back("--position is '" + position +
                    "'; how segments are encoded is said by --segment-encoding");
  }
  check_choice(found, "--activation", activation, {"gelu", "relu"});
  if (!(norm_epsilon > 0.0))
    found.push_back("--norm-epsilon must be positive, not " + std::to_string(norm_epsilon));
  check_probability(found, "--dropout", dropout);
  check_probability(found, "--attention-dropout", attention_dropout);
  check_probability(found, "--activation-dropout", activation_dropout);
  check_probability(found, "--embedding-dropout", embedding_dropout);
  check_probability(found, "--head-dropout", head_dropout);
  if (task_heads.classes < 0) {
    found.push_back("the number of classes must not be negative, but is " +
                    std::to_string(task_heads.classes));
  }
  if (!task_heads.pooler && (task_heads.next_sentence || task_heads.classes > 0))
    found.push_back("the heads for the next sentence and for classes need the pooler");
  return found;
}

std::string BertConfig::position_and_segments() const {
  if (segment_encoding == "none") return position;
  const std::string own = segment_encoding == "input" ? "input-segments" : "segments";
  return position == "none" ? own : position + "+" + own;
}

}  // namespace dietmt::encoders
