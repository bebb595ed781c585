#include "interchange/huggingface/encoder_names.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

namespace dietmt::interchange {
namespace {

using encoders::BertConfig;
using encoders::BertHeads;

constexpr const char* kTokenClassifier = "classifier";  // of all families

class Names {
 public:
  explicit Names(std::string prefix) : prefix_(std::move(prefix)) {}

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
    const std::string theirs = layer_prefix(layer);
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
    for (int64_t l = 0; l < layers; ++l)
      row.theirs.push_back(layer_prefix(l) + "attention.self.distance_embedding.weight");
    rows_.push_back(row);
  }

  std::vector<Correspondence> take() { return std::move(rows_); }

 private:
  std::string layer_prefix(int64_t layer) const {
    return prefix_ + "encoder.layer." + std::to_string(layer) + ".";
  }

  std::string prefix_;
  std::vector<Correspondence> rows_;
};

void add_encoder(Names& names, const BertConfig& config, const std::string& prefix) {
  const std::string ours = "encoder.encoder.";
  const std::string theirs = prefix + "embeddings.";
  names.add("encoder.piece_embedding", theirs + "word_embeddings.weight");
  names.add_pair(ours + "embedding_norm.", theirs + "LayerNorm");
  if (config.segment_encoding == "input")
    names.add(ours + "position.input_segments.table", segment_table(prefix));
  if (config.position == "learned")
    names.add(ours + "position.learned.table", position_table(prefix));
  if (config.position == "relative-key")
    names.add_distances(ours + "position.relative_key.table", config.layers);
  if (config.position == "relative-key-query")
    names.add_distances(ours + "position.relative_key_query.table", config.layers);
  for (int64_t l = 0; l < config.layers; ++l) names.add_layer(l);
}

void add_heads(Names& names, const BertHeads& heads, const EncoderFamily& family) {
  const bool classes_have_dense = heads.classes > 0 && family.classifier_dense != nullptr;
  if (heads.pooler)
    names.add_pair("pooler.", classes_have_dense ? family.classifier_dense
                                                 : family.prefix + std::string("pooler.dense"));
  if (heads.masked_lm) {
    names.add_pair("masked_lm.dense.", family.masked_lm_dense);
    names.add_pair("masked_lm.norm.", family.masked_lm_norm);
    names.add("masked_lm.output_bias", family.masked_lm_bias);
  }
  if (heads.next_sentence && family.next_sentence != nullptr)
    names.add_pair("next_sentence.", family.next_sentence);
  if (heads.classes > 0) names.add_pair("classifier.", family.classifier);
  if (heads.spans) names.add_pair("spans.", "qa_outputs");
  if (heads.tags > 0) names.add_pair("tags.", kTokenClassifier);
}

std::string modern_name(std::string name, const std::string& prefix) {
  for (const char* part : {"embeddings.", "encoder.", "pooler."})
    if (name.starts_with(part)) name = prefix + name;
  if (name.ends_with("LayerNorm.gamma")) name.replace(name.size() - 5, 5, "weight");
  if (name.ends_with("LayerNorm.beta")) name.replace(name.size() - 4, 4, "bias");
  return name;
}

}  // namespace

const EncoderFamily& bert_family() {
  static const EncoderFamily family{.prefix = "bert.",
                                    .masked_lm_dense = "cls.predictions.transform.dense",
                                    .masked_lm_norm = "cls.predictions.transform.LayerNorm",
                                    .masked_lm_bias = "cls.predictions.bias",
                                    .masked_lm_decoder = "cls.predictions.decoder",
                                    .next_sentence = "cls.seq_relationship",
                                    .classifier_dense = nullptr,
                                    .classifier = "classifier"};
  return family;
}

const EncoderFamily& roberta_family() {
  static const EncoderFamily family{.prefix = "roberta.",
                                    .masked_lm_dense = "lm_head.dense",
                                    .masked_lm_norm = "lm_head.layer_norm",
                                    .masked_lm_bias = "lm_head.bias",
                                    .masked_lm_decoder = "lm_head.decoder",
                                    .next_sentence = nullptr,
                                    .classifier_dense = "classifier.dense",
                                    .classifier = "classifier.out_proj"};
  return family;
}

std::vector<Correspondence> encoder_names(const BertConfig& config, const std::string& prefix) {
  Names names(prefix);
  add_encoder(names, config, prefix);
  return names.take();
}

std::vector<Correspondence> model_names(const BertConfig& config, const EncoderFamily& family) {
  Names names(family.prefix);
  add_encoder(names, config, family.prefix);
  add_heads(names, config.task_heads, family);
  return names.take();
}

std::string position_table(const std::string& prefix) {
  return prefix + "embeddings.position_embeddings.weight";
}

std::string segment_table(const std::string& prefix) {
  return prefix + "embeddings.token_type_embeddings.weight";
}

TensorsByName with_modern_names(TensorsByName tensors, const EncoderFamily& family) {
  TensorsByName renamed;
  for (auto& [name, tensor] : tensors)
    renamed[modern_name(name, family.prefix)] = std::move(tensor);
  const std::string decoder_bias = family.masked_lm_decoder + std::string(".bias");
  if (!renamed.contains(family.masked_lm_bias) && renamed.contains(decoder_bias))
    renamed[family.masked_lm_bias] = renamed[decoder_bias];
  return renamed;
}

BertHeads heads_of(const TensorsByName& tensors, const EncoderFamily& family,
                   const nlohmann::json& description) {
  const auto has = [&](const std::string& layer) { return tensors.contains(layer + ".weight"); };
  const bool classes_have_dense =
      family.classifier_dense != nullptr && has(family.classifier_dense);
  BertHeads heads;
  heads.pooler = has(family.prefix + std::string("pooler.dense")) || classes_have_dense;
  heads.masked_lm = has(family.masked_lm_dense);
  heads.next_sentence = family.next_sentence != nullptr && has(family.next_sentence);
  heads.spans = has("qa_outputs");
  // BERT's classifier of whole inputs has the same name.
  const bool of_tokens = description.value("architectures", nlohmann::json::array())
                             .dump()
                             .find("ForTokenClassification") != std::string::npos;
  if (const auto tags = tensors.find(kTokenClassifier + std::string(".weight"));
      of_tokens && tags != tensors.end() && tags->second.dim() == 2)
    heads.tags = tags->second.size(0);
  const auto classifier = tensors.find(family.classifier + std::string(".weight"));
  if (heads.pooler && !of_tokens && classifier != tensors.end())
    heads.classes = classifier->second.dim() == 2 ? classifier->second.size(0) : 1;
  return heads;
}

}  // namespace dietmt::interchange
