#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/huggingface/bert_huggingface.h"
#include "interchange/huggingface/transformers_config.h"

namespace dietmt::interchange {
namespace {

using encoders::BertConfig;
using encoders::BertHeads;
using nlohmann::json;

struct PositionName {
  const char* theirs;
  const char* ours;
};
constexpr PositionName kPositions[] = {{"absolute", "learned"},
                                       {"relative_key", "relative-key"},
                                       {"relative_key_query", "relative-key-query"}};

std::string position_of(const std::string& theirs) {
  std::string names;
  for (const PositionName& name : kPositions) {
    if (theirs == name.theirs) return name.ours;
    names += (names.empty() ? "" : ", ") + std::string(name.theirs);
  }
  throw ConfigError("position_embedding_type is '" + theirs + "'; known: " + names);
}

/// The class that transformers loads the model with.
const char* class_of(const BertHeads& heads) {
  if (heads.classes > 0) return "BertForSequenceClassification";
  if (heads.spans) return "BertForQuestionAnswering";
  if (heads.masked_lm) return heads.next_sentence ? "BertForPreTraining" : "BertForMaskedLM";
  return heads.next_sentence ? "BertForNextSentencePrediction" : "BertModel";
}

}  // namespace

BertConfig from_bert_config(const json& description) {
  require_model_type(description, "bert");
  if (field_or(description, "is_decoder", false)) throw ConfigError("is_decoder is true");
  BertConfig config;
  read_field(description, "vocab_size", config.vocabulary);
  read_field(description, "num_hidden_layers", config.layers);
  read_field(description, "hidden_size", config.width);
  read_field(description, "intermediate_size", config.feed_forward);
  read_field(description, "num_attention_heads", config.heads);
  // Defaults of transformers for missing fields.
  config.max_positions = field_or<int64_t>(description, "max_position_embeddings", 512);
  config.segments = field_or<int64_t>(description, "type_vocab_size", 2);
  config.position =
      position_of(field_or<std::string>(description, "position_embedding_type", "absolute"));
  config.activation = field_or<std::string>(description, "hidden_act", "gelu");
  if (config.activation != "gelu" && config.activation != "relu")
    throw ConfigError("hidden_act is '" + config.activation + "'; known: gelu, relu");
  config.norm_epsilon = field_or(description, "layer_norm_eps", 1e-12);
  config.dropout = field_or(description, "hidden_dropout_prob", 0.1);
  config.embedding_dropout = config.dropout;
  config.attention_dropout = field_or(description, "attention_probs_dropout_prob", 0.1);
  config.head_dropout = field_or(description, "classifier_dropout", config.dropout);
  config.task_heads.pooler = false;
  return config;
}

json to_bert_config(const BertConfig& config) {
  std::vector<std::string> problems;
  std::string position;
  std::string names;
  for (const PositionName& name : kPositions) {
    if (config.position == name.ours) position = name.theirs;
    names += (names.empty() ? "" : ", ") + std::string(name.ours);
  }
  if (position.empty()) {
    problems.push_back("transformers' BERT has no position encoding '" + config.position +
                       "'; it has: " + names);
  }
  if (config.segment_encoding == "heads")
    problems.push_back("transformers' BERT has no segments inside attention");
  throw_if_any(problems);
  json exported = {{"model_type", "bert"},
                   {"architectures", {class_of(config.task_heads)}},
                   {"vocab_size", config.vocabulary},
                   {"num_hidden_layers", config.layers},
                   {"hidden_size", config.width},
                   {"intermediate_size", config.feed_forward},
                   {"num_attention_heads", config.heads},
                   {"max_position_embeddings", config.max_positions},
                   {"type_vocab_size", config.segments},
                   {"position_embedding_type", position},
                   {"hidden_act", config.activation},
                   {"layer_norm_eps", config.norm_epsilon},
                   {"hidden_dropout_prob", config.dropout},
                   {"attention_probs_dropout_prob", config.attention_dropout},
                   {"classifier_dropout", config.head_dropout},
                   {"torch_dtype", "float32"}};
  if (const int64_t classes = config.task_heads.classes; classes > 0) {
    json to_label = json::object();
    json to_id = json::object();
    for (int64_t c = 0; c < classes; ++c) {
      const std::string label = "LABEL_" + std::to_string(c);
      to_label[std::to_string(c)] = label;
      to_id[label] = c;
    }
    exported["id2label"] = to_label;
    exported["label2id"] = to_id;
    if (classes == 1) exported["problem_type"] = "regression";
  }
  return exported;
}

}  // namespace dietmt::interchange
