#include "encoders/bert/bert.h"

#include <ATen/ATen.h>

#include "common/error.h"
#include "encoders/ops/seeded_draws.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

template <typename Head>
const Head& require(const std::shared_ptr<Head>& head, const char* name) {
  if (!head) throw Error("this model has no " + std::string(name));
  return *head;
}

}  // namespace

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
}

Tensor Bert::pool(const Tensor& hidden, const Packing& packing) const {
  const Dense& pooler = require(pooler_, "pooler");
  const std::vector<int64_t> firsts(packing.offsets().begin(), packing.offsets().end() - 1);
  const Tensor rows = hidden.index_select(0, at::tensor(firsts).to(hidden.device()));  // [B, D]
  return at::tanh(pooler.forward(rows));
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

RebuiltBert rebuild(const Bert& trained, const BertConfig& config, uint64_t seed) {
  RebuiltBert rebuilt{std::make_shared<Bert>(config, seed), {}};
  rebuilt.inheritance =
      inherit(*rebuilt.model, config.max_positions, trained, trained.config().max_positions);
  return rebuilt;
}

}  // namespace dietmt::encoders
