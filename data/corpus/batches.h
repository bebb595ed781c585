// Token batches from length buckets, shuffled per epoch from a seed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/corpus/epoch_batches.h"
#include "data/corpus/parallel_corpus.h"
#include "data/corpus/subword_sampling.h"

namespace dietmt::data {

/// Concatenated sentences without padding (docs/architecture.md, "Packed batches"): sentence b owns
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
  PackedTokens source;         // each sentence ends in end of sentence
  PackedTokens target;         // each sentence ends in end of sentence
  std::vector<int64_t> pairs;  // their indices in the corpus
};

struct BatchOptions {
  // The most target tokens in a batch, which has at most twice as many source tokens. A longer
  // pair forms its own batch.
  int64_t batch_tokens = 4096;
  uint64_t seed = 1;
  // Relative shares of the corpora. An epoch has as many pairs as all corpora together. Each corpus
  // goes through all its pairs in one shuffled order after another, and the next epoch continues
  // there: after each epoch, the numbers of uses of two pairs of a corpus differ by at most one.
  // Empty: every pair once per epoch.
  std::vector<double> weights = {};
  BatchShare share = {};  // changes neither the batches nor their order
  // Pieces drawn anew in each epoch, for each use of a pair. Batches are planned by the lengths in
  // the corpus times the average growth, so they have about `batch_tokens` and now and then more.
  SubwordSampling sampling = {};
};

/// The shuffled batches of epochs. An epoch depends only on (corpus, options, epoch): pairs are
/// drawn, shuffled, sorted by length inside large windows (ties in shuffled order), cut into
/// batches, and the batches shuffled. The corpus must outlive the source. Throws ConfigError for
/// wrong options.
std::shared_ptr<BatchSource<ParallelBatch>> batch_source(const ParallelCorpus& corpus,
                                                         const BatchOptions& options);

/// Endless batches of batch_source().
class BatchIterator : public EpochBatches<ParallelBatch> {
 public:
  /// Throws ConfigError for wrong options, Error for a start that does not exist.
  BatchIterator(const ParallelCorpus& corpus, const BatchOptions& options,
                BatchPosition start = {});
};

/// All pairs once, in batches of similar lengths, in a fixed order; for validation.
std::vector<ParallelBatch> all_batches(const ParallelCorpus& corpus, int64_t batch_tokens);

}  // namespace dietmt::data
