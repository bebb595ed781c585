#include "interchange/huggingface/bert_names.h"

namespace dietmt::interchange {
namespace {

using encoders::BertConfig;
using encoders::BertHeads;

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

}  // namespace

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

}  // namespace dietmt::interchange
