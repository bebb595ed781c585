// A batch of sentence pairs as the model reads it, on the model's device. The background thread of
// the batches makes it, so that a training step finds its inputs there: all that a device needs is
// one array, copied from page-locked memory, and nobody waits for the copy.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "data/corpus/batches.h"
#include "encoders/attention/packing.h"
#include "encoders/ops/token_embedding.h"
#include "nmt/training/batch_sizes.h"
#include "nmt/training/guided_alignment.h"

namespace dietmt::nmt {

struct TranslationBatch {
  encoders::Packing source;
  encoders::Packing target;
  encoders::TokenIds source_ids;  // [N]
  encoders::TokenIds inputs;      // [M]: the targets, shifted to the right
  at::Tensor targets;             // [M] int64; training::kIgnoredTarget where a filler is
  AlignmentTargets aligned;       // of a guide; undefined tensors without
  at::Tensor token_weights;       // [M] fp32, of the targets' losses; undefined: 1
  int64_t target_tokens = 0;      // without fillers
  double target_weight = 0.0;     // the sum of their weights
  at::Tensor numbers;             // int64: all of these, without links

  BatchSizes sizes() const { return {source.sizes(), target.sizes()}; }

  /// A batch of the same sizes with other numbers; the host knows only the sizes. For recorded
  /// work.
  TranslationBatch with_numbers(const at::Tensor& others) const;
};

struct TranslationBatchOptions {
  int32_t begin_id = 0;  // the first input of a target sentence
  at::Device device = at::kCPU;
  std::shared_ptr<const AlignmentGuide> guide;  // null: none
  std::optional<LongestSentences> fill_up;      // to few sizes; none: batches stay as they are. Not
                                                // with a guide
};

/// Any thread may call it. Throws DataError for links that a pair does not have.
TranslationBatch translation_batch(const data::ParallelBatch& pairs,
                                   const TranslationBatchOptions& options);

/// Endless batches of data::batch_source().
class TranslationBatches : public data::EpochBatches<TranslationBatch> {
 public:
  /// The corpus must outlive this. Throws as data::BatchIterator.
  TranslationBatches(const data::ParallelCorpus& corpus, const data::BatchOptions& batches,
                     const TranslationBatchOptions& options, data::BatchPosition start = {});
};

}  // namespace dietmt::nmt
