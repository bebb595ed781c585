#include "interchange/huggingface/transformers_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;

struct ModelType {
  const char* name;
  std::vector<json> classes;        // in `architectures`
  std::vector<const char*> fields;  // that this type has; empty: BERT's
};

const std::vector<ModelType>& model_types() {
  static const std::vector<ModelType> types = {
      {"marian", {"MarianModel", "MarianMTModel"}, {"d_model", "encoder_layers", "decoder_layers"}},
      {"m2m_100", {"M2M100Model", "M2M100ForConditionalGeneration"}, {}},
      {"bart", {"BartModel", "BartForConditionalGeneration"}, {}},
      {"fsmt",
       {"FSMTModel", "FSMTForConditionalGeneration"},
       {"src_vocab_size", "tgt_vocab_size", "langs"}},
      {"mbart", {"MBartModel", "MBartForConditionalGeneration"}, {}},
      {"t5", {"T5Model", "T5ForConditionalGeneration"}, {}},
      {"mt5", {"MT5Model", "MT5ForConditionalGeneration"}, {}},
      {"bert",
       {"BertModel", "BertForPreTraining", "BertForMaskedLM", "BertForNextSentencePrediction",
        "BertForSequenceClassification", "BertForTokenClassification", "BertForQuestionAnswering",
        "BertForMultipleChoice"},
       {"hidden_size", "num_hidden_layers", "type_vocab_size"}},
      {"roberta",
       {"RobertaModel", "RobertaForMaskedLM", "RobertaForSequenceClassification",
        "RobertaForQuestionAnswering"},
       {}},
      {"xlm-roberta",
       {"XLMRobertaModel", "XLMRobertaForMaskedLM", "XLMRobertaForSequenceClassification",
        "XLMRobertaForQuestionAnswering"},
       {}}};
  return types;
}

/// "" if the first class of `architectures` is unknown.
std::string type_of_class(const json& architectures) {
  for (const ModelType& type : model_types())
    if (std::ranges::find(type.classes, architectures.front()) != type.classes.end())
      return type.name;
  return "";
}

/// "" if no type has all these fields.
std::string type_of_fields(const json& description) {
  for (const ModelType& type : model_types()) {
    const auto is_there = [&](const char* field) { return description.contains(field); };
    if (!type.fields.empty() && std::ranges::all_of(type.fields, is_there)) return type.name;
  }
  return "";
}

std::string inferred_type(const json& description) {
  const json architectures = description.value("architectures", json());
  const bool listed = architectures.is_array() && !architectures.empty();
  return listed ? type_of_class(architectures) : type_of_fields(description);
}

}  // namespace

json read_json_object(const std::filesystem::path& path) {
  json description = read_json(path);
  if (!description.is_object())
    throw CheckpointError(path.string() + ": must hold an object, {...}");
  return description;
}

json with_generation(const std::filesystem::path& directory, json description) {
  const std::filesystem::path path = directory / kGenerationConfig;
  if (!std::filesystem::exists(path)) return description;
  const json generation = read_json_object(path);
  for (const auto& [name, value] : generation.items())
    if (!value.is_null()) description[name] = value;
  return description;
}

std::string require_model_type(const json& description, const std::vector<std::string>& known) {
  const auto given = field_or<std::string>(description, "model_type", "");
  const std::string type = given.empty() ? inferred_type(description) : given;
  if (std::ranges::find(known, type) != known.end()) return type;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "'" : ", '") + name + "'";
  const std::string only = known.size() == 1 ? "only " + names + " is known" : "known: " + names;
  if (type.empty())
    throw ConfigError(
        "model_type is missing, and neither architectures nor the other keys imply it; " + only);
  throw ConfigError("model_type is " +
                    (given.empty() ? "missing; the other keys are those of " : std::string()) +
                    "'" + type + "'; " + only);
}

int32_t piece_number(const std::filesystem::path& directory, const json& description,
                     const char* name, int64_t pieces) {
  const json& field = any_field(description, name);
  const json& id = field.is_array() && !field.empty() ? field.front() : field;
  if (is_whole_number(id) && id.get<int64_t>() >= 0 && id.get<int64_t>() < pieces)
    return id.get<int32_t>();
  throw CheckpointError((directory / kTransformersConfig).string() + ": " + name + " is " +
                        field.dump() + "; it must be the number of a piece, below " +
                        std::to_string(pieces));
}

const std::map<std::string, std::string>& bart_settings() {
  static const std::map<std::string, std::string> names = {
      {"width", "d_model"},
      {"feed_forward", "encoder_ffn_dim"},
      {"heads", "encoder_attention_heads"},
      {"max_positions", "max_position_embeddings"},
      {"source_vocabulary", "vocab_size"},
      {"target_vocabulary", "decoder_vocab_size"},
      {"embedding_dropout", "dropout"}};
  return names;
}

std::string transformers_activation(const std::string& theirs) {
  if (theirs == "swish" || theirs == "silu") return "silu";
  if (theirs == "gelu_new" || theirs == "gelu_pytorch_tanh") return "gelu-tanh";
  if (theirs == "relu" || theirs == "gelu") return theirs;
  throw ConfigError("activation_function is '" + theirs +
                    "'; known: relu, gelu, gelu_new, silu, swish");
}

nmt::ModelConfig read_bart_sizes(const json& description, const char* source, const char* target) {
  nmt::ModelConfig config;
  read_field(description, source, config.source_vocabulary);
  read_field(description, target, config.target_vocabulary);
  read_field(description, "encoder_layers", config.encoder_layers);
  read_field(description, "decoder_layers", config.decoder_layers);
  read_field(description, "d_model", config.width);
  read_field(description, "encoder_ffn_dim", config.feed_forward);
  read_field(description, "encoder_attention_heads", config.heads);
  config.max_positions = field_or<int64_t>(description, "max_position_embeddings", 1024);
  config.dropout = config.embedding_dropout = field_or(description, "dropout", 0.1);
  config.attention_dropout = field_or(description, "attention_dropout", 0.0);
  config.activation_dropout = field_or(description, "activation_dropout", 0.0);
  return config;
}

void add_differences(const json& description, std::vector<std::string>& problems) {
  for (const auto& [one, other] : {std::pair("encoder_attention_heads", "decoder_attention_heads"),
                                   std::pair("encoder_ffn_dim", "decoder_ffn_dim")}) {
    if (any_field(description, one) != any_field(description, other))
      problems.push_back(std::string(one) + " differs from " + other);
  }
}

void throw_with_their_names(const std::vector<std::string>& problems,
                            const std::filesystem::path& file,
                            const std::map<std::string, std::string>& names) {
  std::vector<std::string> renamed;
  for (const std::string& problem : problems) {
    if (problem.empty()) continue;
    const size_t begin = problem.starts_with(file.string()) ? file.string().size() : 0;
    std::string text = problem.substr(0, begin), word;
    for (const char letter : problem.substr(begin) + "\n") {
      if (letter == '_' || (letter >= 'a' && letter <= 'z')) {
        word += letter;
        continue;
      }
      const auto found = names.find(word);
      text += (found == names.end() ? word : found->second) + letter;
      word.clear();
    }
    text.pop_back();
    // Several of our settings may map to one of theirs.
    if (std::ranges::find(renamed, text) == renamed.end()) renamed.push_back(text);
  }
  throw_if_any<CheckpointError>(renamed);
}

}  // namespace dietmt::interchange
