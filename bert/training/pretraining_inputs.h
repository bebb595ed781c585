// A batch of masked examples as the model reads it, on the model's device. The background thread of
// the batches makes it, so that a training step finds its inputs there: all that a device needs is
// one array, copied from page-locked memory, and nobody waits for the copy.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "data/pretraining/pretraining_batches.h"
#include "encoders/attention/packing.h"

namespace dietmt::bert {

/// Sizes of a batch that the host needs.
struct PretrainingSizes {
  encoders::PackingSizes examples;
  int64_t masked = 0;    // M
  bool pairs = false;    // whether examples are pairs
  bool segments = true;  // whether the model tells them apart

  /// The sizes that differ between batches, as a key.
  std::vector<int64_t> list() const;
};

struct PretrainingInputs {
  encoders::Packing packing;  // with the segments of the tokens if the model tells them apart
  at::Tensor ids;             // [N] int64, after masking
  at::Tensor masked_rows;     // [M] int64
  at::Tensor masked_ids;      // [M] int64, the pieces to predict there; kIgnoredTarget in fillers
  at::Tensor next_sentence;   // [B] int64, kIgnoredTarget in fillers; undefined without pairs
  at::Tensor masked_count;    // scalar int64: `masked`
  int64_t masked = 0;         // pieces to predict, and
  int64_t tokens = 0;         // tokens, without fillers
  PretrainingSizes sizes;
  at::Tensor numbers;  // int64: all of these

  /// A batch of the same sizes with other numbers; the host knows only the sizes. For recorded
  /// work.
  PretrainingInputs with_numbers(const at::Tensor& others) const;
};

struct PretrainingInputOptions {
  at::Device device = at::kCPU;
  int64_t segments = 2;            // of the model
  std::optional<int64_t> fill_up;  // to few sizes, with examples of at most this length; none:
                                   // batches stay as they are
};

/// Any thread may call it.
PretrainingInputs pretraining_inputs(const data::PretrainingBatch& batch,
                                     const PretrainingInputOptions& options);

/// Endless batches of data::pretraining_source().
class PretrainingInputBatches : public data::EpochBatches<PretrainingInputs> {
 public:
  /// The texts must outlive this. Throws as data::PretrainingIterator.
  PretrainingInputBatches(std::span<const data::TextCorpus> texts,
                          const data::PretrainingOptions& batches,
                          const PretrainingInputOptions& options, data::BatchPosition start);
};

}  // namespace dietmt::bert
