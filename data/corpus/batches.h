// Token batches from length buckets, shuffled per epoch from a seed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/corpus/batch_share.h"
#include "data/corpus/parallel_corpus.h"

namespace dietmt::data {

/// Sentences end to end, without padding (docs/architecture.md, "Packed batches"): sentence b owns
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
  // At most so many target tokens a batch, and twice as many source tokens. A longer pair is a
  // batch alone.
  int64_t batch_tokens = 4096;
  uint64_t seed = 1;
  // Relative shares of the corpora, one each. An epoch has as many pairs as all of them together;
  // every corpus goes through all its pairs in one shuffled order after another, and the next epoch
  // continues there: after each epoch the pairs of a corpus were given equally often, but for those
  // that were given once more. None: every pair once an epoch.
  std::vector<double> weights = {};
  BatchShare share = {};  // changes neither the batches nor their order
};

/// Where an iteration stands; enough to continue it exactly.
struct BatchPosition {
  int64_t epoch = 0;
  int64_t batch = 0;  // batches of this epoch already given
  bool operator==(const BatchPosition&) const = default;
};

/// Endless shuffled batches. The order of an epoch is a function of (corpus, options, epoch) alone:
/// pairs are drawn, shuffled, sorted by length inside large windows, cut into batches, and the
/// batches shuffled. A background thread assembles ahead; what it throws comes out of next(). The
/// corpus must outlive the iterator.
class BatchIterator {
 public:
  BatchIterator(const ParallelCorpus& corpus, const BatchOptions& options,
                BatchPosition start = {});
  ~BatchIterator();

  /// The next batch, crossing into the next epoch when one ends.
  ParallelBatch next();

  /// Goes past a batch that is not in the options' share, whose tokens are not even read; next()
  /// throws Error for such a one.
  void skip();

  /// The position after the last batch given or skipped. After the last batch of epoch e it is
  /// (e, batches_in_epoch()); the batch after that makes it (e + 1, 1).
  BatchPosition position() const;

  /// Batches in the epoch of position().
  int64_t batches_in_epoch() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// All pairs once, in batches of similar lengths, in a fixed order; for validation.
std::vector<ParallelBatch> all_batches(const ParallelCorpus& corpus, int64_t batch_tokens);

}  // namespace dietmt::data
