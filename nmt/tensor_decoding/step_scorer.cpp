#include "nmt/tensor_decoding/step_scorer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "encoders/device/device.h"
#include "nmt/network/step_runner.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;

class ModelScorer : public StepScorer {
 public:
  ModelScorer(const DecodingModel& decoding, std::span<const std::vector<int32_t>* const> sources,
              int64_t beams)
      : model_(*decoding.model), precision_(decoding.precision) {
    const encoders::PassPrecisionScope scope(precision_);
    runner_.emplace(model_, beams, std::ssize(sources));
    runner_->begin(runner_->encode(sources));
  }

  Tensor step(const Tensor& tokens) override {
    const encoders::PassPrecisionScope scope(precision_);
    runner_->advance();
    const Tensor hidden = runner_->step(tokens.to(model_.output_weight().device()));
    return at::log_softmax(model_.logits(hidden), -1, at::kFloat);
  }

  void reorder(const Tensor& sentence_index, const Tensor& row_index) override {
    const std::span<const int64_t> kept(sentence_index.const_data_ptr<int64_t>(),
                                        static_cast<size_t>(sentence_index.numel()));
    runner_->keep(kept, row_index.to(model_.output_weight().device()));
  }

 private:
  const TranslationModel& model_;
  const encoders::PassPrecision precision_;
  std::optional<StepRunner> runner_;
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

int64_t rows_that_fit(const DecodingModel& decoding, int64_t most) {
  constexpr int64_t kBytesOfALogit = 12;
  const TranslationModel& model = *decoding.model;
  const encoders::PassPrecisionScope scope(decoding.precision);
  const std::optional<int64_t> free = encoders::free_device_memory(model.output_weight().device());
  if (!free) return most;
  const DecoderCache cache = model.empty_cache();
  const int64_t token = cache.slot_bytes() + cache.source_slot_bytes();
  const int64_t bytes = model.config().target_vocabulary * kBytesOfALogit + kUsualLength * token;
  return std::min(most, *free / 2 / bytes);
}

std::unique_ptr<StepScorer> make_scorer(std::span<const DecodingModel> models,
                                        std::span<const std::vector<int32_t>* const> sources,
                                        int64_t beams) {
  std::vector<std::unique_ptr<StepScorer>> members;
  for (const DecodingModel& model : models)
    members.push_back(std::make_unique<ModelScorer>(model, sources, beams));
  if (members.size() == 1) return std::move(members.front());
  return std::make_unique<EnsembleScorer>(std::move(members));
}

}  // namespace dietmt::nmt
