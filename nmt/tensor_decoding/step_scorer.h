// The interface between a search and a model: log-probabilities of the next token of each
// hypothesis.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "encoders/ops/weight_copies.h"

namespace dietmt::nmt {

class TranslationModel;

/// A model, and how it computes on a device.
struct DecodingModel {
  const TranslationModel* model = nullptr;
  encoders::PassPrecision precision = {};
};

constexpr int64_t kUsualLength = 128;

/// How many rows of hypotheses fit in half of the free memory, at most `most`: their logits, three
/// times in fp32 if no kernel selects among them, and the keys and values of translations and
/// sources of usual length.
int64_t rows_that_fit(const DecodingModel& model, int64_t most);

/// Rows are hypotheses: row b * K + k is hypothesis k of sentence b. The number of sentences B and
/// the rows per sentence K are fixed when a scorer is made; reorder() changes B.
class StepScorer {
 public:
  virtual ~StepScorer() = default;

  /// tokens: [B * K] int64 on the CPU, the last token of each row; begin of sentence at the first
  /// step. Returns log-probabilities [B * K, V], float, which the caller may overwrite.
  virtual at::Tensor step(const at::Tensor& tokens) = 0;

  /// Keeps the sentences `sentence_index` [B'] and the rows `row_index` [B' * K] of the last step,
  /// both int64 on the CPU, in that order.
  virtual void reorder(const at::Tensor& sentence_index, const at::Tensor& row_index) = 0;
};

/// Cached decoding of `sources`, which all end in end of sentence, with `beams` rows per
/// sentence. The probabilities of several models are averaged.
std::unique_ptr<StepScorer> make_scorer(std::span<const DecodingModel> models,
                                        std::span<const std::vector<int32_t>* const> sources,
                                        int64_t beams);

}  // namespace dietmt::nmt
