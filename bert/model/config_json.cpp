#include "bert/model/config_json.h"

#include <nlohmann/json.hpp>

#include "common/json_fields.h"

namespace dietmt::bert {
namespace {

using encoders::BertConfig;

// Calls visit(name, field) for every field, so that names are written once.
template <typename Config, typename Visit>
void visit_fields(Config& config, const Visit& visit) {
  visit("vocabulary", config.vocabulary);
  visit("layers", config.layers);
  visit("width", config.width);
  visit("feed_forward", config.feed_forward);
  visit("heads", config.heads);
  visit("max_positions", config.max_positions);
  visit("segments", config.segments);
  visit("position", config.position);
  visit("segment_encoding", config.segment_encoding);
  visit("activation", config.activation);
  visit("norm_epsilon", config.norm_epsilon);
  visit("dropout", config.dropout);
  visit("attention_dropout", config.attention_dropout);
  visit("activation_dropout", config.activation_dropout);
  visit("embedding_dropout", config.embedding_dropout);
  visit("head_dropout", config.head_dropout);
  visit("pooler", config.task_heads.pooler);
  visit("masked_lm", config.task_heads.masked_lm);
  visit("next_sentence", config.task_heads.next_sentence);
  visit("classes", config.task_heads.classes);
  visit("spans", config.task_heads.spans);
}

}  // namespace

nlohmann::json to_json(const BertConfig& config) {
  nlohmann::json json;
  visit_fields(config, [&](const char* name, const auto& field) { json[name] = field; });
  return json;
}

BertConfig config_from_json(const nlohmann::json& json) {
  BertConfig config;
  visit_fields(config, [&](const char* name, auto& field) { read_field(json, name, field); });
  return config;
}

}  // namespace dietmt::bert
