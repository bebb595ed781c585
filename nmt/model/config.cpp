#include "nmt/model/config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/checks.h"
#include "common/error.h"
#include "common/json_fields.h"

namespace dietmt::nmt {
namespace {

struct Preset {
  const char* name;
  int64_t layers, width, feed_forward, heads;
};

// tiny: Wu et al. 2021; base and big: Vaswani et al. 2017, table 3.
constexpr Preset kPresets[] = {{"tiny", 4, 128, 256, 4},
                               {"small", 6, 256, 1024, 4},
                               {"base", 6, 512, 2048, 8},
                               {"big", 6, 1024, 4096, 16}};

// Calls visit(name, field) for each field: the only place that lists the names.
template <typename Config, typename Visit>
void visit_fields(Config& config, const Visit& visit) {
  visit("source_vocabulary", config.source_vocabulary);
  visit("target_vocabulary", config.target_vocabulary);
  visit("encoder_layers", config.encoder_layers);
  visit("decoder_layers", config.decoder_layers);
  visit("width", config.width);
  visit("feed_forward", config.feed_forward);
  visit("heads", config.heads);
  visit("max_positions", config.max_positions);
  visit("norm", config.norm);
  visit("activation", config.activation);
  visit("tied_embeddings", config.tied_embeddings);
  visit("encoder_position", config.encoder_position);
  visit("decoder_position", config.decoder_position);
  visit("cross_position", config.cross_position);
  visit("dropout", config.dropout);
  visit("attention_dropout", config.attention_dropout);
  visit("activation_dropout", config.activation_dropout);
  visit("embedding_dropout", config.embedding_dropout);
}

// Fields that a config.json of an earlier version may lack.
template <typename Config, typename Visit>
void visit_later_fields(Config& config, const Visit& visit) {
  visit("output_bias", config.output_bias);
  visit("decoder_layer", config.decoder_layer);
  visit("norm_epsilon", config.norm_epsilon);
  visit("norm_type", config.norm_type);
  visit("qk_norm", config.qk_norm);
  visit("kv_heads", config.kv_heads);
  visit("head_width", config.head_width);
  visit("embedding_norm", config.embedding_norm);
  visit("alignment_layer", config.alignment_layer);
  visit("alignment_head", config.alignment_head);
  visit("context", config.context);
  visit("context_sides", config.context_sides);
  visit("context_tokens", config.context_tokens);
  visit("adapter_size", config.adapter_size);
}

constexpr const char* kSuppressed = "suppressed";
constexpr const char* kSuppressedFirst = "suppressed_first";

nlohmann::json search_json(const ModelConfig& config) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, value] : config.search) json[name] = json_number(value);
  if (!config.suppressed.sequences.empty()) json[kSuppressed] = config.suppressed.sequences;
  if (!config.suppressed.first.empty()) json[kSuppressedFirst] = config.suppressed.first;
  return json;
}

std::vector<std::string> pieces_in(const nlohmann::json& value, const std::string& name) {
  const bool are_pieces =
      value.is_array() && !value.empty() &&
      std::ranges::all_of(value, [](const nlohmann::json& one) { return one.is_string(); });
  if (!are_pieces)
    throw CheckpointError("search: " + name + " has " + value.dump() + "; it must be pieces");
  return value;
}

void read_search(const nlohmann::json& json, ModelConfig& config) {
  for (const auto& [name, value] : object_field(json, "search").items()) {
    if (name == kSuppressedFirst) {
      config.suppressed.first = pieces_in(value, name);
    } else if (name == kSuppressed) {
      if (!value.is_array())
        throw CheckpointError("search: " + name + " must be a list of lists of pieces");
      for (const nlohmann::json& sequence : value)
        config.suppressed.sequences.push_back(pieces_in(sequence, name));
    } else if (!value.is_number()) {
      throw CheckpointError("search: " + name + " is " + value.dump() + "; it must be a number");
    } else {
      config.search[name] = value.get<double>();
    }
  }
}

}  // namespace

ModelConfig ModelConfig::preset(const std::string& name) {
  for (const Preset& preset : kPresets) {
    if (name != preset.name) continue;
    ModelConfig config;
    config.encoder_layers = config.decoder_layers = preset.layers;
    config.width = preset.width;
    config.feed_forward = preset.feed_forward;
    config.heads = preset.heads;
    return config;
  }
  throw ConfigError("--preset is '" + name + "'; possible: tiny, small, base, big");
}

AlignmentSite ModelConfig::alignment() const {
  const int64_t layer = alignment_layer > 0 ? alignment_layer : decoder_layers - 1;
  return {std::max<int64_t>(layer - 1, 0),
          alignment_head > 0 ? alignment_head - 1 : AlignmentSite::kAllHeads};
}

std::vector<std::string> ModelConfig::problems(const std::string& file) const {
  std::vector<std::string> found;
  const auto name = [&](const char* key) { return setting_name(key, file); };
  const auto check = [&](const char* key, const OptionRule& rule, auto value) {
    check_range(found, name(key), rule, value);
  };
  check(file.empty() ? "vocab_size" : "source_vocabulary", ranges::kVocabulary, source_vocabulary);
  if (!file.empty() || target_vocabulary != source_vocabulary) {
    check(file.empty() ? "vocab_size" : "target_vocabulary", ranges::kVocabulary,
          target_vocabulary);
  }
  check("encoder_layers", ranges::kLayers, encoder_layers);
  check("decoder_layers", ranges::kLayers, decoder_layers);
  check("width", ranges::kWidth, width);
  check("feed_forward", ranges::kFeedForward, feed_forward);
  check("heads", ranges::kHeads, heads);
  check("max_positions", ranges::kMaxPositions, max_positions);
  check("head_width", {.least = 0, .most = ranges::kWidth.most}, head_width);
  if (head_width == 0)
    check_divisible(found, name("width"), width, setting_key("heads", file), heads);
  check("kv_heads", {.least = 0, .most = heads}, kv_heads);
  check_divisible(found, name("heads"), heads, setting_key("kv_heads", file), kv_heads);
  check("norm", {.choices = {"post", "pre"}}, norm);
  check("norm_type", {.choices = {"layer", "rms"}}, norm_type);
  check("activation", {.choices = {"relu", "gelu", "silu", "swiglu", "gelu-tanh", "geglu-tanh"}},
        activation);
  check("tied_embeddings", {.choices = {"none", "decoder", "all"}}, tied_embeddings);
  check("norm_epsilon", {.above = 0, .most = 1}, norm_epsilon);
  check("decoder_layer", {.choices = {"self-attention", "ssru"}}, decoder_layer);
  if (tied_embeddings == "all" && source_vocabulary != target_vocabulary) {
    found.push_back(name("tied_embeddings") + " all needs one vocabulary for both languages, not " +
                    std::to_string(source_vocabulary) + " and " +
                    std::to_string(target_vocabulary) + " pieces");
  }
  if (!file.empty()) {  // options of guided alignment have messages of their own
    check("alignment_layer", {.least = 0, .most = decoder_layers}, alignment_layer);
    check("alignment_head", {.least = 0, .most = heads}, alignment_head);
  }
  check("context", kContextRange, context);
  check("adapter_size", kAdapterRange, adapter_size);
  check("context_sides", {.choices = {"source", "both"}}, context_sides);
  check("context_tokens", {.least = 0}, context_tokens);
  check("dropout", ranges::kDropout, dropout);
  check("attention_dropout", ranges::kDropout, attention_dropout);
  check("activation_dropout", ranges::kDropout, activation_dropout);
  check("embedding_dropout", ranges::kDropout, embedding_dropout);
  return found;
}

nlohmann::json ModelConfig::to_json() const {
  nlohmann::json json;
  const auto write = [&](const char* name, const auto& field) { json[name] = field; };
  visit_fields(*this, write);
  visit_later_fields(*this, write);
  if (languages != ModelLanguages()) json["languages"] = languages.to_json();
  if (nlohmann::json own = search_json(*this); !own.empty()) json["search"] = std::move(own);
  return json;
}

ModelConfig ModelConfig::from_json(const nlohmann::json& json) {
  ModelConfig config;
  visit_fields(config, [&](const char* name, auto& field) { read_field(json, name, field); });
  visit_later_fields(config, [&](const char* name, auto& field) {
    if (json.contains(name)) read_field(json, name, field);
  });
  if (json.contains("languages"))
    config.languages = ModelLanguages::from_json(json.at("languages"));
  if (json.contains("search")) read_search(json, config);
  return config;
}

}  // namespace dietmt::nmt
