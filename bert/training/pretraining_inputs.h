// A batch of masked examples as the model reads it, on the model's device. The background thread of
// the batches makes it, so that a training step finds its inputs there and waits for no copy.
#pragma once

#include <ATen/core/Tensor.h>

#include "data/pretraining/pretraining_batches.h"
#include "encoders/attention/packing.h"

namespace dietmt::bert {

struct PretrainingInputs {
  encoders::Packing packing;  // with the segments of the tokens if the model tells them apart
  at::Tensor ids;             // [N] int64, after masking
  at::Tensor masked_rows;     // [M] int64
  at::Tensor masked_ids;      // [M] int64, the pieces to predict there
  at::Tensor next_sentence;   // [B] int64; undefined without pairs
};

struct PretrainingInputOptions {
  at::Device device = at::kCPU;
  int64_t segments = 2;  // of the model
};

/// Any thread may call it.
PretrainingInputs pretraining_inputs(const data::PretrainingBatch& batch,
                                     const PretrainingInputOptions& options);

/// Endless batches of data::pretraining_source().
class PretrainingInputBatches : public data::EpochBatches<PretrainingInputs> {
 public:
  /// The corpus must outlive this. Throws as data::PretrainingIterator.
  PretrainingInputBatches(const data::TextCorpus& corpus, const data::PretrainingOptions& batches,
                          const PretrainingInputOptions& options, data::BatchPosition start);
};

}  // namespace dietmt::bert
