#include "interchange/fairseq/tupe_import.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "encoders/bert/bert_config.h"
#include "interchange/foreign_tensors.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/weights.h"
#include "interchange/pytorch/torch_file.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;
using encoders::BertConfig;
using nlohmann::json;

const std::string kStack = "decoder.sentence_encoder.";  // fairseq counts language models so
const std::string kHead = "decoder.lm_head.";
constexpr double kEpsilon = 1e-5;  // of fairseq's norms
constexpr int64_t kThetaRows = 2;  // theta_1 and theta_2 are products of the first positions
constexpr int64_t kFirstRow = 1;   // of the first token; its own scores are theta_1 and theta_2

BertConfig config_of(const json& args) {
  const auto arch = field_or<std::string>(args, "arch", "");
  if (!arch.starts_with("bert"))
    throw CheckpointError("has the architecture '" + arch +
                          "'; known: bert, bert_base, bert_large");
  if (field_or(args, "encoder_normalize_before", false))
    throw CheckpointError("encoder_normalize_before is true; dietmt's BERT is post-norm");
  if (!field_or(args, "embedding_normalize", false))
    throw CheckpointError("embedding_normalize is false; dietmt's BERT normalizes the embeddings");
  BertConfig config;
  read_field(args, "encoder_layers", config.layers);
  read_field(args, "encoder_embed_dim", config.width);
  read_field(args, "encoder_ffn_embed_dim", config.feed_forward);
  read_field(args, "encoder_attention_heads", config.heads);
  config.activation = field_or<std::string>(args, "activation_fn", "gelu");
  if (config.activation != "gelu" && config.activation != "relu")
    throw CheckpointError("activation_fn is '" + config.activation + "'; known: gelu, relu");
  config.segment_encoding = "none";
  config.norm_epsilon = kEpsilon;
  config.dropout = config.embedding_dropout = field_or(args, "dropout", 0.1);
  config.attention_dropout = field_or(args, "attention_dropout", 0.1);
  config.activation_dropout = field_or(args, "activation_dropout", 0.0);
  config.head_dropout = field_or(args, "pooler_dropout", 0.1);
  config.task_heads = {.pooler = false, .masked_lm = true};
  return config;
}

/// What the tables of `tensors` add: vocabulary, positions and their encoding.
void add_tables(const ForeignTensors& tensors, BertConfig& config) {
  config.vocabulary = tensors.matrix(kStack + "embed_tokens.weight").size(0);
  config.max_positions = tensors.matrix(kStack + "pos.weight").size(0) - kFirstRow;
  config.position = "tupe-a(projection-bias=true)";
  const std::string relative = kStack + "relative_attention_bias.weight";
  if (!tensors.contains(relative)) return;
  const int64_t buckets = tensors.matrix(relative).size(0) - 1;
  config.position = "tupe-r(projection-bias=true,buckets=" + std::to_string(buckets) + ")";
}

class TupeParameters {
 public:
  TupeParameters(ForeignTensors& tensors, const BertConfig& config)
      : tensors_(tensors), width_(config.width) {}

  TensorsByName take(int64_t layers) {
    values_["encoder.piece_embedding"] = tensors_.take(kStack + "embed_tokens.weight");
    take_pair("encoder.encoder.embedding_norm.", kStack + "emb_layer_norm.");
    take_positions();
    for (int64_t l = 0; l < layers; ++l) take_layer(std::to_string(l));
    take_pair("masked_lm.dense.", kHead + "dense.");
    take_pair("masked_lm.norm.", kHead + "layer_norm.");
    values_["masked_lm.output_bias"] = tensors_.take(kHead + "bias");
    require_tied_output();
    return std::move(values_);
  }

 private:
  void take_pair(const std::string& ours, const std::string& theirs) {
    for (const char* word : {"weight", "bias"}) values_[ours + word] = tensors_.take(theirs + word);
  }

  void take_layer(const std::string& number) {
    const std::string ours = "encoder.encoder.layer" + number + ".";
    const std::string theirs = kStack + "layers." + number + ".";
    take_pair(ours + "self_attention.input_", theirs + "self_attn.in_proj_");
    take_pair(ours + "self_attention.output_", theirs + "self_attn.out_proj.");
    take_pair(ours + "self_residual.norm.", theirs + "self_attn_layer_norm.");
    take_pair(ours + "feed_forward.inner_", theirs + "fc1.");
    take_pair(ours + "feed_forward.outer_", theirs + "fc2.");
    take_pair(ours + "feed_forward_residual.norm.", theirs + "final_layer_norm.");
  }

  void take_positions() {
    const std::string relative = kStack + "relative_attention_bias.weight";
    const std::string ours = std::string("encoder.encoder.position.") +
                             (tensors_.contains(relative) ? "tupe_r." : "tupe_a.");
    const Tensor rows = tensors_.take(kStack + "pos.weight");
    const Tensor weight = tensors_.take(kStack + "pos_proj.weight");
    const Tensor bias = tensors_.take(kStack + "pos_proj.bias");
    if (rows.size(0) <= kThetaRows || weight.dim() != 2 || weight.size(0) != 2 * width_ ||
        bias.numel() != 2 * width_)
      tensors_.fail("its tensors " + kStack + "pos and pos_proj have unknown shapes");
    values_[ours + "positions"] = rows.slice(0, kFirstRow);
    values_[ours + "summary"] = rows.slice(0, 0, kThetaRows);
    for (const char* word : {"weight", "bias"})
      values_[ours + "norm_" + word] = tensors_.take(kStack + "pos_ln." + word);
    values_[ours + "query_projection"] = weight.slice(0, 0, width_).t();
    values_[ours + "key_projection"] = weight.slice(0, width_).t();
    values_[ours + "query_bias"] = bias.slice(0, 0, width_);
    values_[ours + "key_bias"] = bias.slice(0, width_);
    if (!tensors_.contains(relative)) return;
    values_[ours + "relative"] = tensors_.take(relative).t();
    tensors_.ignore(kStack + "rp_bucket");  // the number of each pair's bucket
  }

  void require_tied_output() {
    const std::string output = kHead + "weight";
    if (!tensors_.contains(output)) return;
    if (!at::equal(tensors_.take(output), values_.at("encoder.piece_embedding")))
      tensors_.fail("has a separate output layer, " + output +
                    "; dietmt supports only one tied to the embeddings");
  }

  ForeignTensors& tensors_;
  int64_t width_;
  TensorsByName values_;
};

}  // namespace

std::shared_ptr<encoders::Bert> import_tupe(const fs::path& checkpoint) {
  const json values = read_torch_values(checkpoint, {"args"});
  if (!values.contains("args"))
    throw CheckpointError(checkpoint.string() + ": has no args, the options of fairseq");
  BertConfig config = read_as(checkpoint, values["args"], config_of);
  ForeignTensors tensors(checkpoint, load_checkpoint(checkpoint, TorchContent::kFairseq));
  add_tables(tensors, config);
  const std::string file = checkpoint.string();
  std::vector<std::string> problems = config.problems(file);
  if (problems.empty()) problems = {encoders::memory_problem(config, sizeof(float), file)};
  throw_with_their_names(problems, checkpoint,
                         {{"layers", "encoder_layers"},
                          {"width", "encoder_embed_dim"},
                          {"feed_forward", "encoder_ffn_embed_dim"},
                          {"heads", "encoder_attention_heads"}});
  const TensorsByName parameters = TupeParameters(tensors, config).take(config.layers);
  tensors.warn_of_others();
  const auto model = std::make_shared<encoders::Bert>(config, 0);
  set_parameters(*model, parameters, checkpoint);
  model->eval();
  return model;
}

}  // namespace dietmt::interchange
