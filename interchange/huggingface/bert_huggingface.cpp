#include "interchange/huggingface/bert_huggingface.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "encoders/bert/bert_config.h"
#include "encoders/weights/safetensors.h"
#include "interchange/foreign_tensors.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/weights.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;
using encoders::Bert;
using encoders::BertConfig;
using encoders::BertHeads;
using nlohmann::json;

class Names {
 public:
  void add(const std::string& ours, const std::string& theirs) {
    rows_.push_back({ours, {theirs}});
  }

  /// A weight and its bias.
  void add_pair(const std::string& ours, const std::string& theirs) {
    add(ours + "weight", theirs + ".weight");
    add(ours + "bias", theirs + ".bias");
  }

  void add_layer(int64_t layer) {
    const std::string ours = "encoder.encoder.layer" + std::to_string(layer) + ".";
    const std::string theirs = "bert.encoder.layer." + std::to_string(layer) + ".";
    for (const char* kind : {"weight", "bias"}) {
      const std::string self = theirs + "attention.self.";
      rows_.push_back({ours + "self_attention.input_" + kind,
                       {self + "query." + kind, self + "key." + kind, self + "value." + kind}});
    }
    add_pair(ours + "self_attention.output_", theirs + "attention.output.dense");
    add_pair(ours + "self_residual.norm.", theirs + "attention.output.LayerNorm");
    add_pair(ours + "feed_forward.inner_", theirs + "intermediate.dense");
    add_pair(ours + "feed_forward.outer_", theirs + "output.dense");
    add_pair(ours + "feed_forward_residual.norm.", theirs + "output.LayerNorm");
  }

  /// The tables of relative_key and relative_key_query.
  void add_distances(const std::string& ours, int64_t layers) {
    Correspondence row{ours, {}, Joining::kLayersOfOffsets};
    for (int64_t l = 0; l < layers; ++l) {
      row.theirs.push_back("bert.encoder.layer." + std::to_string(l) +
                           ".attention.self.distance_embedding.weight");
    }
    rows_.push_back(row);
  }

  std::vector<Correspondence> take() { return std::move(rows_); }

 private:
  std::vector<Correspondence> rows_;
};

void add_heads(Names& names, const BertHeads& heads) {
  if (heads.pooler) names.add_pair("pooler.", "bert.pooler.dense");
  if (heads.masked_lm) {
    names.add_pair("masked_lm.dense.", "cls.predictions.transform.dense");
    names.add_pair("masked_lm.norm.", "cls.predictions.transform.LayerNorm");
    names.add("masked_lm.output_bias", "cls.predictions.bias");
  }
  if (heads.next_sentence) names.add_pair("next_sentence.", "cls.seq_relationship");
  if (heads.classes > 0) names.add_pair("classifier.", "classifier");
  if (heads.spans) names.add_pair("spans.", "qa_outputs");
}

/// The names that Hugging Face's transformers gives all parameters of a model, whose encodings it
/// must have: ours as in Bert::named_parameters(), theirs as in BertForPreTraining.state_dict() and
/// its sisters.
std::vector<Correspondence> huggingface_names(const BertConfig& config) {
  Names names;
  const std::string ours = "encoder.encoder.";
  const std::string theirs = "bert.embeddings.";
  names.add("encoder.piece_embedding", theirs + "word_embeddings.weight");
  names.add_pair(ours + "embedding_norm.", theirs + "LayerNorm");
  if (config.segment_encoding == "input")
    names.add(ours + "position.input_segments.table", theirs + "token_type_embeddings.weight");
  if (config.position == "learned")
    names.add(ours + "position.learned.table", theirs + "position_embeddings.weight");
  if (config.position == "relative-key")
    names.add_distances(ours + "position.relative_key.table", config.layers);
  if (config.position == "relative-key-query")
    names.add_distances(ours + "position.relative_key_query.table", config.layers);
  for (int64_t l = 0; l < config.layers; ++l) names.add_layer(l);
  add_heads(names, config.task_heads);
  return names.take();
}

constexpr const char* kPositionTable = "bert.embeddings.position_embeddings.weight";
constexpr const char* kSegmentTable = "bert.embeddings.token_type_embeddings.weight";
constexpr const char* kDecoder = "cls.predictions.decoder.weight";
constexpr const char* kDecoderBias = "cls.predictions.decoder.bias";
constexpr const char* kBertOutputBias = "cls.predictions.bias";

/// Adds the prefix "bert.", which files of the bare encoder lack, and renames old norms.
std::string modern_name(std::string name) {
  for (const char* part : {"embeddings.", "encoder.", "pooler."})
    if (name.starts_with(part)) name = "bert." + name;
  if (name.ends_with("LayerNorm.gamma")) name.replace(name.size() - 5, 5, "weight");
  if (name.ends_with("LayerNorm.beta")) name.replace(name.size() - 4, 4, "bias");
  return name;
}

TensorsByName with_modern_names(TensorsByName tensors) {
  TensorsByName renamed;
  for (auto& [name, tensor] : tensors) renamed[modern_name(name)] = std::move(tensor);
  if (!renamed.contains(kBertOutputBias) && renamed.contains(kDecoderBias))
    renamed[kBertOutputBias] = renamed[kDecoderBias];
  return renamed;
}

BertHeads heads_of(const TensorsByName& tensors, const json& config) {
  BertHeads heads;
  heads.pooler = tensors.contains("bert.pooler.dense.weight");
  heads.masked_lm = tensors.contains("cls.predictions.transform.dense.weight");
  heads.next_sentence = tensors.contains("cls.seq_relationship.weight");
  heads.spans = tensors.contains("qa_outputs.weight");
  // A token classifier has the same name, but no pooler.
  const bool of_tokens =
      config.value("architectures", json::array()).dump().find("ForTokenClassification") !=
      std::string::npos;
  const auto classifier = tensors.find("classifier.weight");
  if (heads.pooler && !of_tokens && classifier != tensors.end())
    heads.classes = classifier->second.size(0);
  return heads;
}

/// Fills the parameters of a model from the tensors of a file.
class Filling {
 public:
  /// `new_positions`: the model may have another position encoding than the file.
  Filling(fs::path directory, TensorsByName tensors, bool new_positions)
      : directory_(directory),
        tensors_(std::move(directory), std::move(tensors)),
        new_positions_(new_positions) {
    // Buffers, and copies of tied parameters.
    for (const char* name :
         {"bert.embeddings.position_ids", "bert.embeddings.token_type_ids", kDecoder, kDecoderBias})
      tensors_.ignore(name);
  }

  ForeignTensors& tensors() { return tensors_; }

  void fill(Bert& model, const std::vector<Correspondence>& correspondences) {
    const torch::NoGradGuard no_grad;
    auto parameters = model.named_parameters();
    std::set<std::string> filled;
    for (const Correspondence& row : correspondences) {
      const std::vector<Tensor> parts = take(row);
      Tensor* parameter = parameters.find(row.ours);
      // Without a parameter: a position encoding that was replaced.
      if (parameter == nullptr || parts.size() < row.theirs.size()) continue;
      if (fits(row, parts, *parameter)) filled.insert(row.ours);
    }
    if (!missing_.empty()) tensors_.fail("has no tensor " + shortened(missing_));
    std::vector<std::string> drawn;
    for (const auto& item : parameters)
      if (!filled.contains(item.key())) drawn.push_back(item.key());
    if (!drawn.empty())
      spdlog::info("{}: these parameters are not in the file in this shape and start at random: {}",
                   directory_.string(), shortened(drawn));
    tensors_.warn_of_others();
  }

  /// The output layer of the file must be its embeddings.
  void check_tied_decoder() const {
    const TensorsByName& all = tensors_.all();
    const auto decoder = all.find(kDecoder);
    const auto embedding = all.find("bert.embeddings.word_embeddings.weight");
    if (decoder == all.end() || embedding == all.end()) return;
    if (!at::equal(decoder->second, embedding->second))
      tensors_.fail("has an output layer of its own, " + std::string(kDecoder) +
                    "; dietmt uses the word embeddings");
  }

 private:
  /// Whether the parameter may start at random: a head's, or one of a replaced encoding.
  bool may_lack(const Correspondence& row) const {
    const bool of_positions = row.ours.find(".position.") != std::string::npos;
    return !row.ours.starts_with("encoder.") || (new_positions_ && of_positions);
  }

  /// The tensors that exist. Required ones that do not are added to missing_.
  std::vector<Tensor> take(const Correspondence& row) {
    std::vector<Tensor> parts;
    for (const std::string& name : row.theirs) {
      if (tensors_.contains(name))
        parts.push_back(tensors_.take(name));
      else if (!may_lack(row))
        missing_.push_back(name);
    }
    return parts;
  }

  /// Copies the tensors; false if they have another shape but may start at random.
  bool fits(const Correspondence& row, const std::vector<Tensor>& parts, Tensor& parameter) const {
    const Tensor joined = tensors_.join(row, parts);
    if (joined.sizes() == parameter.sizes()) {
      parameter.copy_(joined);
      return true;
    }
    if (may_lack(row)) return false;
    tensors_.fail("tensor " + shortened(row.theirs) + " makes a parameter of shape " +
                  storage::shape_text(joined.sizes()) + ", but config.json says " +
                  storage::shape_text(parameter.sizes()));
  }

  fs::path directory_;
  ForeignTensors tensors_;
  bool new_positions_;
  std::vector<std::string> missing_;
};

BertConfig read_bert_config(const fs::path& path, const json& description) {
  BertConfig config;
  try {
    config = from_bert_config(description);
  } catch (const std::exception& error) {
    throw CheckpointError(path.string() + ": " + json_problem(error));
  }
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
  return config;
}

}  // namespace

std::shared_ptr<Bert> import_huggingface(const fs::path& directory, const ImportOptions& options) {
  const json description = read_json_object(directory / "config.json");
  BertConfig config = read_bert_config(directory / "config.json", description);
  Filling filling(directory, with_modern_names(load_weights(directory)), !options.position.empty());
  config.task_heads = options.heads.value_or(heads_of(filling.tensors().all(), description));
  // Models with relative keys have an unused table of absolute positions.
  if (config.position != "learned") filling.tensors().ignore(kPositionTable);
  if (config.task_heads.masked_lm) filling.check_tied_decoder();
  const std::vector<Correspondence> correspondences = huggingface_names(config);
  if (!options.position.empty()) config.position = options.position;
  const auto model = std::make_shared<Bert>(config, options.seed);
  filling.fill(*model, correspondences);
  model->eval();
  return model;
}

void export_huggingface(const fs::path& directory, const Bert& model,
                        const data::BertTokenizer* tokenizer) {
  const BertConfig& config = model.config();
  json description = to_bert_config(config);
  if (tokenizer != nullptr) description["pad_token_id"] = tokenizer->special().pad;
  const auto parameters = model.named_parameters();
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const Correspondence& row : huggingface_names(config)) {
    const std::vector<Tensor> parts =
        split(parameters[row.ours].detach(), row.joining, row.theirs.size());
    for (size_t i = 0; i < parts.size(); ++i) tensors.emplace_back(row.theirs[i], parts[i]);
  }
  // transformers expects these tables in every model: zeros where they have no effect.
  if (config.position != "learned")
    tensors.emplace_back(kPositionTable, at::zeros({config.max_positions, config.width}));
  if (config.segment_encoding == "none")
    tensors.emplace_back(kSegmentTable, at::zeros({config.segments, config.width}));
  write_file_atomically(directory / "config.json", description.dump(2) + "\n");
  encoders::save_safetensors(directory / storage::kSafetensorsFile, tensors, {{"format", "pt"}});
  if (tokenizer != nullptr) tokenizer->save(directory);
}

}  // namespace dietmt::interchange
