// Length-bucketed batches with a token budget, shuffled per epoch from a seed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/corpus/epoch_batches.h"
#include "data/corpus/pair_drawing.h"
#include "data/corpus/parallel_corpus.h"
#include "data/corpus/stages.h"

namespace dietmt::data {

/// Concatenated sentences without padding (docs/architecture.md, "Packed batches"). Sentence b owns
/// tokens offsets[b] .. offsets[b+1]-1.
struct PackedTokens {
  std::vector<int32_t> tokens;         // [N]
  std::vector<int32_t> offsets = {0};  // [B+1], offsets[0] = 0
  int64_t sentences() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t size() const { return static_cast<int64_t>(tokens.size()); }
  /// Appends one sentence.
  void append(std::span<const int32_t> sentence);
  bool operator==(const PackedTokens&) const = default;
};

struct ParallelBatch {
  PackedTokens source;         // each sentence ends with end of sentence
  PackedTokens target;         // each sentence ends with end of sentence
  std::vector<int64_t> pairs;  // their indices in the corpus
  std::vector<float> weights;  // of the pairs in the loss; empty: all are 1
};

struct BatchOptions {
  // Target tokens per batch; a batch has at most twice as many source tokens. A longer pair forms
  // its own batch.
  int64_t batch_tokens = 4096;
  uint64_t seed = 1;
  // Relative shares of the corpora. An epoch has as many pairs as all corpora together. Each corpus
  // is used in one shuffled pass after another, and the next epoch continues where the last one
  // stopped: after each epoch, the use counts of two pairs of a corpus differ by at most one.
  // Empty: every pair once per epoch.
  std::vector<double> weights = {};
  BatchShare share = {};  // does not change the batches or their order
  // Draws text and pieces in each epoch, for each use of a pair. Batches are planned with the
  // lengths in the corpus times the average growth, so they have about `batch_tokens` and sometimes
  // more.
  PairDrawing drawing = {};
  // Instead of `weights`: each stage has its own. A stage begins with an epoch; one that ends after
  // so many updates, of share.per_update batches, ends its last epoch there.
  std::vector<Stage> stages = {};
};

/// Shuffled batches of epochs. An epoch depends only on (corpus, options, epoch): pairs are drawn,
/// shuffled, sorted by length within large windows (ties in shuffled order) and cut into batches,
/// which are shuffled. The corpus must outlive the source. Throws ConfigError for invalid options.
std::shared_ptr<BatchSource<ParallelBatch>> batch_source(const ParallelCorpus& corpus,
                                                         const BatchOptions& options);

/// Endless batches of batch_source().
class BatchIterator : public EpochBatches<ParallelBatch> {
 public:
  /// Throws ConfigError for invalid options and Error for a start that does not exist.
  BatchIterator(const ParallelCorpus& corpus, const BatchOptions& options,
                BatchPosition start = {});
};

/// All pairs once, in batches of similar lengths and a fixed order; for validation.
std::vector<ParallelBatch> all_batches(const ParallelCorpus& corpus, int64_t batch_tokens);

}  // namespace dietmt::data
