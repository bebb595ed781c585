#include "encoders/bert/bert.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "common/error.h"
#include "encoders/bert/bert_config.h"
#include "encoders/bert/pooling.h"
#include "encoders/ops/fused_ops.h"
#include "encoders/ops/linear.h"
#include "encoders/ops/scopes.h"
#include "encoders/position/scheme/position_spec.h"
#include "encoders/transformer/stacks.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

/// Draws the matrices of all layers; encodings draw their own parameters.
void draw_weights(EncoderStack& stack) {
  const torch::NoGradGuard no_grad;
  for (auto& item : stack.named_parameters()) {
    if (item.value().dim() == 2 && !item.key().starts_with("position."))
      item.value().normal_(0.0, kBertDeviation);
  }
}

Packing with_segments(const Packing& packing, const Tensor& pieces) {
  Packing complete = packing;
  if (!packing.segments().defined()) complete.set_segments(at::zeros_like(pieces));
  return complete;
}

template <typename Head>
const Head& require(const std::shared_ptr<Head>& head, const char* name) {
  if (!head) throw Error("this model has no " + std::string(name));
  return *head;
}

}  // namespace

StackConfig stack_config(const BertConfig& config) {
  StackConfig stack;
  stack.layers = config.layers;
  stack.width = config.width;
  stack.feed_forward = config.feed_forward;
  stack.heads = config.heads;
  stack.max_positions = config.max_positions;
  stack.segments = config.segments;
  stack.starts_with_summary = true;
  stack.norm_epsilon = config.norm_epsilon;
  stack.embedding_norm = true;
  stack.embedding_deviation = kBertDeviation;
  stack.activation = config.activation == "relu" ? Activation::kRelu : Activation::kGelu;
  stack.position = config.position_and_segments();
  stack.dropout = config.dropout;
  stack.attention_dropout = config.attention_dropout;
  stack.activation_dropout = config.activation_dropout;
  stack.embedding_dropout = config.embedding_dropout;
  return stack;
}

BertModel::BertModel(const BertConfig& config) : config_(config) {
  throw_if_any(config.problems());
  if (const std::string problem = memory_problem(config, sizeof(float)); !problem.empty())
    throw ConfigError(problem);
  const StackConfig stack = stack_config(config);
  const EncodingContext context = encoding_context(stack, AttentionSite::kEncoder);
  config_.position = canonical_position_spec(parse_position_spec(config.position, context));
  piece_embedding_ = register_parameter(
      "piece_embedding",
      torch::empty({config.vocabulary, config.width}).normal_(0.0, kBertDeviation));
  encoder_ = register_module("encoder", std::make_shared<EncoderStack>(stack));
  draw_weights(*encoder_);
}

Tensor BertModel::forward(const Tensor& pieces, const Packing& packing,
                          DropoutKeys* dropout) const {
  return encoder_->forward(StackInput({piece_embedding_, pieces}), with_segments(packing, pieces),
                           backend_, dropout);
}

std::vector<Tensor> BertModel::hidden_states(const Tensor& pieces, const Packing& packing,
                                             DropoutKeys* dropout) const {
  return encoder_->hidden_states(StackInput({piece_embedding_, pieces}),
                                 with_segments(packing, pieces), backend_, dropout);
}

const PositionScheme& BertModel::position() const { return encoder_->position(); }

int64_t BertModel::max_length() const { return encoder_->position().max_length(); }

void BertModel::set_recomputation(bool wanted) { encoder_->set_recomputation(wanted); }

double BertModel::kept_elements(const Packing& packing) const {
  return encoder_->kept_elements(packing);
}

Dense::Dense(int64_t inputs, int64_t outputs) {
  weight_ =
      register_parameter("weight", torch::empty({outputs, inputs}).normal_(0.0, kBertDeviation));
  bias_ = register_parameter("bias", torch::zeros({outputs}));
}

Tensor Dense::forward(const Tensor& x) const { return linear_layer(x, weight_, bias_); }

MaskedLmHead::MaskedLmHead(const BertConfig& config, const Tensor& piece_embedding)
    : relu_(config.activation == "relu"), piece_embedding_(piece_embedding) {
  dense_ = register_module("dense", std::make_shared<Dense>(config.width, config.width));
  norm_ = register_module("norm", std::make_shared<Norm>(config.width, config.norm_epsilon));
  output_bias_ = register_parameter("output_bias", torch::zeros({config.vocabulary}));
}

Tensor MaskedLmHead::transform(const Tensor& rows) const {
  const Tensor inner = dense_->forward(rows);
  if (inner.is_cpu()) return norm_->forward(relu_ ? at::relu(inner) : at::gelu(inner));
  return norm_->forward(activate(inner, relu_ ? Activation::kRelu : Activation::kGelu, {}));
}

Tensor MaskedLmHead::logits(const Tensor& rows) const {
  return wide_linear_layer(transform(rows), piece_embedding_, output_bias_);
}

Bert::Bert(const BertConfig& config, uint64_t seed) {
  const SeededDraws draws(seed);
  encoder_ = register_module("encoder", std::make_shared<BertModel>(config));
  const BertHeads& heads = config.task_heads;
  const auto dense = [&](const char* name, int64_t outputs) {
    return register_module(name, std::make_shared<Dense>(config.width, outputs));
  };
  if (heads.pooler) pooler_ = dense("pooler", config.width);
  if (heads.masked_lm) {
    masked_lm_ = register_module(
        "masked_lm", std::make_shared<MaskedLmHead>(config, encoder_->piece_embedding()));
  }
  if (heads.next_sentence) next_sentence_ = dense("next_sentence", 2);
  if (heads.classes > 0) classifier_ = dense("classifier", heads.classes);
  if (heads.spans) spans_ = dense("spans", 2);
  if (heads.tags > 0) tags_ = dense("tags", heads.tags);
}

Tensor Bert::pool(const Tensor& hidden, const Packing& packing) const {
  const Dense& pooler = require(pooler_, "pooler");
  return at::tanh(pooler.forward(first_states(hidden, packing)));
}

const MaskedLmHead& Bert::masked_lm() const {
  return require(masked_lm_, "head for masked tokens");
}

Tensor Bert::next_sentence(const Tensor& pooled) const {
  return require(next_sentence_, "head for the next sentence").forward(pooled);
}

Tensor Bert::classify(const Tensor& pooled, DropoutKeys* keys) const {
  const Dense& classifier = require(classifier_, "head for classes");
  return classifier.forward(dropout(pooled, dropout_site(config().head_dropout, keys)));
}

Tensor Bert::spans(const Tensor& hidden) const {
  return require(spans_, "head for answers").forward(hidden);
}

Tensor Bert::tags(const Tensor& hidden, DropoutKeys* keys) const {
  const Dense& tags = require(tags_, "head for tags");
  return tags.forward(dropout(hidden, dropout_site(config().head_dropout, keys)));
}

PackedStates encode_packed(const Bert& model, const data::PackedTokens& tokens,
                           const std::vector<int32_t>& segments, at::Device device,
                           DropoutKeys* dropout) {
  Packing packing = packing_of(tokens, device);
  if (model.config().segments > 1) packing.set_segments(ids_of(segments, device));
  const Tensor hidden = model.encoder().forward(ids_of(tokens.tokens, device), packing, dropout);
  return {hidden, std::move(packing)};
}

RebuiltBert rebuild(const Bert& trained, const BertConfig& config, uint64_t seed) {
  RebuiltBert rebuilt{std::make_shared<Bert>(config, seed), {}};
  rebuilt.inheritance =
      inherit(*rebuilt.model, config.max_positions, trained, trained.config().max_positions);
  return rebuilt;
}

}  // namespace dietmt::encoders
