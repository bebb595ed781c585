#include "encoders/bert/bert_config.h"

#include <spdlog/spdlog.h>

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
namespace fs = std::filesystem;

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

/// The class that transformers loads the model with: "Bert" or "XLMRoberta", and its heads.
std::string class_of(const std::string& family, const BertHeads& heads) {
  if (heads.classes > 0) return family + "ForSequenceClassification";
  if (heads.spans) return family + "ForQuestionAnswering";
  if (heads.tags > 0) return family + "ForTokenClassification";
  if (heads.masked_lm) return family + (heads.next_sentence ? "ForPreTraining" : "ForMaskedLM");
  return family + (heads.next_sentence ? "ForNextSentencePrediction" : "Model");
}

BertConfig config_of(const json& description) {
  if (field_or(description, "is_decoder", false)) throw ConfigError("is_decoder is true");
  BertConfig config;
  read_field(description, "vocab_size", config.vocabulary);
  read_field(description, "num_hidden_layers", config.layers);
  read_field(description, "hidden_size", config.width);
  read_field(description, "intermediate_size", config.feed_forward);
  read_field(description, "num_attention_heads", config.heads);
  // transformers' defaults for missing fields.
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

EncoderDescription description_of(const json& description) {
  const std::string type = require_model_type(description, {"bert", "roberta", "xlm-roberta"});
  EncoderDescription encoder{.config = config_of(description), .family = &bert_family()};
  if (type == "bert") return encoder;
  encoder.family = &roberta_family();
  if (encoder.config.position != "learned")
    throw ConfigError("position_embedding_type is not 'absolute', the only one for " + type);
  // Padding has its own row in the table; positions are counted from there.
  const auto padding = field_or<int64_t>(description, "pad_token_id", 1);
  if (padding < 0 || padding >= encoder.config.max_positions)
    throw ConfigError("pad_token_id is " + std::to_string(padding) +
                      "; it must be from 0 to below max_position_embeddings");
  encoder.first_position = padding + 1;
  encoder.config.max_positions -= encoder.first_position;
  return encoder;
}

/// Fields that both families have.
json common_config(const BertConfig& config, const std::vector<std::string>& labels) {
  json exported = {{"vocab_size", config.vocabulary},
                   {"num_hidden_layers", config.layers},
                   {"hidden_size", config.width},
                   {"intermediate_size", config.feed_forward},
                   {"num_attention_heads", config.heads},
                   {"max_position_embeddings", config.max_positions},
                   {"type_vocab_size", config.segments},
                   {"hidden_act", config.activation},
                   {"layer_norm_eps", config.norm_epsilon},
                   {"hidden_dropout_prob", config.dropout},
                   {"attention_probs_dropout_prob", config.attention_dropout},
                   {"classifier_dropout", config.head_dropout},
                   {"torch_dtype", "float32"}};
  if (const int64_t classes = config.task_heads.classes + config.task_heads.tags; classes > 0) {
    json to_label = json::object();
    json to_id = json::object();
    for (int64_t c = 0; c < classes; ++c) {
      const std::string label =
          labels.empty() ? "LABEL_" + std::to_string(c) : labels[static_cast<size_t>(c)];
      to_label[std::to_string(c)] = label;
      to_id[label] = c;
    }
    exported["id2label"] = to_label;
    exported["label2id"] = to_id;
    if (config.task_heads.classes == 1) exported["problem_type"] = "regression";
  }
  return exported;
}

}  // namespace

EncoderDescription read_encoder_description(const fs::path& path) {
  const json description = read_json_object(path);
  EncoderDescription encoder;
  try {
    encoder = description_of(description);
  } catch (const std::exception& error) {
    throw CheckpointError(path.string() + ": " + json_problem(error));
  }
  const BertConfig& config = encoder.config;
  std::vector<std::string> problems = config.problems(path.string());
  if (problems.empty()) problems = {encoders::memory_problem(config, sizeof(float), path.string())};
  throw_with_their_names(problems, path,
                         {{"vocabulary", "vocab_size"},
                          {"layers", "num_hidden_layers"},
                          {"width", "hidden_size"},
                          {"feed_forward", "intermediate_size"},
                          {"heads", "num_attention_heads"},
                          {"max_positions", "max_position_embeddings"},
                          {"segments", "type_vocab_size"},
                          {"norm_epsilon", "layer_norm_eps"},
                          {"dropout", "hidden_dropout_prob"},
                          {"embedding_dropout", "hidden_dropout_prob"},
                          {"attention_dropout", "attention_probs_dropout_prob"},
                          {"head_dropout", "classifier_dropout"}});
  return encoder;
}

std::vector<std::string> class_labels(const fs::path& path, int64_t classes) {
  if (classes == 1) return {};
  return read_json_as(path, [&](const json& description) {
    const json names = description.value("id2label", json::object());
    std::vector<std::string> labels;
    for (int64_t c = 0; c < classes; ++c)
      labels.push_back(names.value(std::to_string(c), "LABEL_" + std::to_string(c)));
    return labels;
  });
}

json to_bert_config(const BertConfig& config, const std::vector<std::string>& labels) {
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
  json exported = common_config(config, labels);
  exported["model_type"] = "bert";
  exported["architectures"] = {class_of("Bert", config.task_heads)};
  exported["position_embedding_type"] = position;
  return exported;
}

json to_xlm_roberta_config(const BertConfig& config, const data::SpecialPieces& special,
                           const std::vector<std::string>& labels) {
  std::vector<std::string> problems;
  if (config.position != "learned")
    problems.push_back("transformers' XLM-R has no position encoding '" + config.position +
                       "'; it has: learned");
  if (config.segment_encoding == "heads")
    problems.emplace_back("transformers' XLM-R has no segments inside attention");
  if (config.task_heads.next_sentence)
    problems.emplace_back("transformers' XLM-R has no head for the next sentence");
  throw_if_any(problems);
  if (config.segments > 1 && config.segment_encoding == "input")
    spdlog::warn(
        "the model distinguishes the two texts of a pair, which XLM-R's tokenizer in transformers "
        "does not: give it token_type_ids, or pre-train with --segment-encoding none");
  json exported = common_config(config, labels);
  exported["model_type"] = "xlm-roberta";
  exported["architectures"] = {class_of("XLMRoberta", config.task_heads)};
  exported["max_position_embeddings"] = config.max_positions + special.pad + 1;
  exported["bos_token_id"] = special.classify;
  exported["eos_token_id"] = special.separate;
  return exported;
}

}  // namespace dietmt::interchange
