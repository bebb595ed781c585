#include "nmt/batch_decoding/step_scorer.h"

#include <ATen/ATen.h>

#include <cmath>

#include "encoders/attention/packing.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;

class ModelScorer : public StepScorer {
 public:
  ModelScorer(const TranslationModel& model, std::span<const std::vector<int32_t>* const> sources,
              int64_t beams, int64_t max_steps)
      : model_(model) {
    const at::Device device = model.output_weight().device();
    const data::PackedTokens packed = pack(sources);
    const encoders::Packing packing = encoders::packing_of(packed, device);
    const Tensor memory = model.encode(encoders::ids_of(packed.tokens, device), packing);  // [M, D]
    cache_ = model.start(memory, packing, beams, max_steps);
  }

  Tensor step(const Tensor& tokens) override {
    const Tensor hidden = model_.step(tokens.to(model_.output_weight().device()), cache_);
    return at::log_softmax(model_.logits(hidden), -1, at::kFloat);
  }

  void reorder(const Tensor& sentence_index, const Tensor& row_index) override {
    const at::Device device = model_.output_weight().device();
    cache_.reorder(sentence_index.to(device), row_index.to(device));
  }

 private:
  const TranslationModel& model_;
  DecoderCache cache_;
};

class EnsembleScorer : public StepScorer {
 public:
  explicit EnsembleScorer(std::vector<std::unique_ptr<StepScorer>> members)
      : members_(std::move(members)) {}

  Tensor step(const Tensor& tokens) override {
    Tensor sum = members_.front()->step(tokens);
    for (size_t i = 1; i < members_.size(); ++i)
      sum = at::logaddexp(sum, members_[i]->step(tokens));
    return sum.sub_(std::log(static_cast<double>(members_.size())));
  }

  void reorder(const Tensor& sentence_index, const Tensor& row_index) override {
    for (const auto& member : members_) member->reorder(sentence_index, row_index);
  }

 private:
  std::vector<std::unique_ptr<StepScorer>> members_;
};

}  // namespace

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
