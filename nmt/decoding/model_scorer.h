// Step scorers of one translation model and of an ensemble.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nmt/decoding/step_scorer.h"
#include "nmt/model/decoder_cache.h"
#include "nmt/model/translation_model.h"

namespace dietmt::nmt {

/// Cached decoding with one model. Rows of other sentences fill up batches that are too small for
/// the matrix kernels of larger ones, so that a sentence gets the same numbers, to the last bit,
/// alone and among others.
class ModelScorer : public StepScorer {
 public:
  /// Encodes `sources` (each ends in end of sentence) for `beams` rows each and at most `max_steps`
  /// steps.
  ModelScorer(const TranslationModel& model, std::span<const std::vector<int32_t>* const> sources,
              int64_t beams, int64_t max_steps);

  at::Tensor step(const at::Tensor& tokens) override;
  void reorder(const at::Tensor& sentence_index, const at::Tensor& row_index) override;

 private:
  // Sentences to add to `sentences` ones for enough rows.
  int64_t missing_sentences(int64_t sentences) const;

  const TranslationModel& model_;
  int64_t beams_;
  int64_t rows_;  // without those that fill up
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
