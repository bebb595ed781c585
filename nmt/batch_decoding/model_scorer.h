// Step scorers of one translation model and of an ensemble.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nmt/batch_decoding/step_scorer.h"
#include "nmt/network/decoder_cache.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

/// Cached decoding with one model.
class ModelScorer : public StepScorer {
 public:
  /// Encodes `sources` (each ends in end of sentence) for `beams` rows each and at most `max_steps`
  /// steps.
  ModelScorer(const TranslationModel& model, std::span<const std::vector<int32_t>* const> sources,
              int64_t beams, int64_t max_steps);

  at::Tensor step(const at::Tensor& tokens) override;
  void reorder(const at::Tensor& sentence_index, const at::Tensor& row_index) override;

 private:
  const TranslationModel& model_;
  DecoderCache cache_;
};

/// Averages the probabilities of scorers with one vocabulary.
class EnsembleScorer : public StepScorer {
 public:
  explicit EnsembleScorer(std::vector<std::unique_ptr<StepScorer>> members);

  at::Tensor step(const at::Tensor& tokens) override;
  void reorder(const at::Tensor& sentence_index, const at::Tensor& row_index) override;

 private:
  std::vector<std::unique_ptr<StepScorer>> members_;
};

/// A ModelScorer, or an EnsembleScorer for several models.
std::unique_ptr<StepScorer> make_scorer(std::span<const TranslationModel* const> models,
                                        std::span<const std::vector<int32_t>* const> sources,
                                        int64_t beams, int64_t max_steps);

}  // namespace dietmt::nmt
