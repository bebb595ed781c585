#include "nmt/decoding/model_scorer.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "nmt/model/packed_tokens.h"
#include "training/batch_tensors.h"

namespace dietmt::nmt {

using at::Tensor;

namespace {

// Measured with MKL: with four rows or more, one thread and the same other sizes, a row of a
// product does not depend on the number of rows; one to three rows take other kernels.
constexpr int64_t kMinRows = 4;

}  // namespace

ModelScorer::ModelScorer(const TranslationModel& model,
                         std::span<const std::vector<int32_t>* const> sources, int64_t beams,
                         int64_t max_steps)
    : model_(model), beams_(beams), rows_(static_cast<int64_t>(sources.size()) * beams) {
  const at::Device device = model.output_weight().device();
  data::PackedTokens filled = pack(sources);
  while (missing_sentences(filled.sentences()) > 0 || filled.size() < kMinRows)
    filled.append(*sources.front());
  const encoders::Packing packing = training::packing_of(filled, device);
  const Tensor memory = model.encode(training::ids_of(filled.tokens, device), packing);  // [M, D]
  cache_ = model.start(memory, packing, beams, max_steps);
}

int64_t ModelScorer::missing_sentences(int64_t sentences) const {
  const int64_t needed = (kMinRows + beams_ - 1) / beams_;
  return std::max(int64_t{0}, needed - sentences);
}

Tensor ModelScorer::step(const Tensor& tokens) {
  const int64_t filling = cache_.sentences * beams_ - rows_;
  const Tensor filled = filling > 0 ? at::constant_pad_nd(tokens, {0, filling}) : tokens;
  const Tensor hidden = model_.step(filled.to(model_.output_weight().device()), cache_);
  return at::log_softmax(model_.logits(hidden), -1, at::kFloat).narrow(0, 0, rows_);
}

void ModelScorer::reorder(const Tensor& sentence_index, const Tensor& row_index) {
  const at::Device device = model_.output_weight().device();
  const int64_t filling = missing_sentences(sentence_index.size(0));
  rows_ = row_index.size(0);
  cache_.reorder(at::constant_pad_nd(sentence_index, {0, filling}).to(device),
                 at::constant_pad_nd(row_index, {0, filling * beams_}).to(device));
}

EnsembleScorer::EnsembleScorer(std::vector<std::unique_ptr<StepScorer>> members)
    : members_(std::move(members)) {}

Tensor EnsembleScorer::step(const Tensor& tokens) {
  Tensor sum = members_.front()->step(tokens);
  for (size_t i = 1; i < members_.size(); ++i) sum = at::logaddexp(sum, members_[i]->step(tokens));
  return sum.sub_(std::log(static_cast<double>(members_.size())));
}

void EnsembleScorer::reorder(const Tensor& sentence_index, const Tensor& row_index) {
  for (const auto& member : members_) member->reorder(sentence_index, row_index);
}

std::unique_ptr<StepScorer> make_scorer(std::span<const TranslationModel* const> models,
                                        std::span<const std::vector<int32_t>* const> sources,
                                        int64_t beams, int64_t max_steps) {
  std::vector<std::unique_ptr<StepScorer>> members;
  for (const TranslationModel* model : models)
    members.push_back(std::make_unique<ModelScorer>(*model, sources, beams, max_steps));
  if (members.size() == 1) return std::move(members.front());
  return std::make_unique<EnsembleScorer>(std::move(members));
}

}  // namespace dietmt::nmt
