// Batches of whole examples, packed end to end: mixed lengths cost nothing extra.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bert/finetuning/encoded_inputs.h"
#include "data/corpus/batches.h"

namespace dietmt::bert {

/// B examples of N tokens.
struct ExampleBatch {
  data::PackedTokens tokens;
  std::vector<int32_t> segments = {};  // [N]
  std::vector<int64_t> examples = {};  // [B], their places in the inputs
  bool operator==(const ExampleBatch&) const = default;
};

struct ExampleBatchOptions {
  int64_t batch_size = 32;  // examples; the last batch of an epoch may have fewer
  uint64_t seed = 1;
};

/// Endless shuffled batches. The order of an epoch only depends on (seed, epoch). A
/// background thread assembles ahead. The inputs, at least one, must outlive this.
class ExampleBatches {
 public:
  /// Throws Error for a start that does not exist, or if there is no input.
  ExampleBatches(const EncodedInputs& inputs, const ExampleBatchOptions& options,
                 data::BatchPosition start = {});
  ~ExampleBatches();

  /// These are as in data::BatchIterator.
  ExampleBatch next();
  data::BatchPosition position() const;
  int64_t batches_in_epoch() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// How many batches that makes.
int64_t batches_in_epoch(int64_t examples, int64_t batch_size);

/// All inputs once, the shortest first, in batches of at most `batch_tokens`; a longer input
/// is its own batch.
std::vector<ExampleBatch> all_batches(const EncodedInputs& inputs, int64_t batch_tokens);

}  // namespace dietmt::bert
