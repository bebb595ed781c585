// Batches for pre-training an encoder: examples of a text with masked tokens, packed end to end.
//
//   PretrainingIterator batches(corpus, options);
//   PretrainingBatch batch = batches.next();   // predict masked_ids from the states of masked_rows
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/corpus/batches.h"
#include "data/pretraining/masking.h"
#include "data/pretraining/packed_examples.h"
#include "data/pretraining/text_corpus.h"

namespace dietmt::data {

/// N tokens in B examples, which the packed tokens call sentences.
struct PretrainingBatch {
  PackedTokens tokens;                 // after masking
  std::vector<int32_t> segments;       // [N], 0, or 1 in the second text of a pair
  std::vector<int64_t> masked_rows;    // ascending rows of `tokens`
  std::vector<int32_t> masked_ids;     // the pieces to predict there
  std::vector<int32_t> next_sentence;  // [B], 0: B goes on after A, 1: it is from elsewhere;
                                       // empty without pairs
  bool operator==(const PretrainingBatch&) const = default;
};

struct PretrainingOptions {
  ExampleOptions examples;
  MaskingOptions masking;
  int64_t batch_tokens = 8192;  // at most so many a batch; a longer example is a batch alone
  uint64_t seed = 1;
  BatchShare share = {};  // changes neither the batches nor their order
  std::vector<std::string> problems() const;
};

/// Endless shuffled batches. An epoch is a function of (corpus, options, epoch) alone: examples of
/// all lengths are shuffled and cut into batches, pairs and masks are drawn anew. A background
/// thread assembles ahead; what it throws comes out of next(). The corpus must outlive the
/// iterator. The plan of an epoch takes 12 bytes an example, 20 a pair, and 4 a batch.
class PretrainingIterator {
 public:
  /// Throws ConfigError for wrong options, DataError as plan_examples does, Error for a start that
  /// does not exist.
  PretrainingIterator(const TextCorpus& corpus, const PretrainingOptions& options,
                      BatchPosition start = {});
  ~PretrainingIterator();

  /// These are as in BatchIterator.
  PretrainingBatch next();
  void skip();
  BatchPosition position() const;
  int64_t batches_in_epoch() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// All examples once in the order of the corpus, with pairs and masks that the seed alone fixes and
/// that no epoch of training draws.
std::vector<PretrainingBatch> validation_batches(const TextCorpus& corpus,
                                                 const PretrainingOptions& options);

}  // namespace dietmt::data
