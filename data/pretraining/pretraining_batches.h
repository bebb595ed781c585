// Batches for pre-training an encoder: packed examples of one or several texts with masked tokens.
//
//   PretrainingIterator batches(std::span(&corpus, 1), options);
//   PretrainingBatch batch = batches.next();   // predict masked_ids from the states of masked_rows
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/corpus/batches.h"
#include "data/pretraining/masking.h"
#include "data/pretraining/packed_examples.h"
#include "data/pretraining/text_corpus.h"

namespace dietmt::data {

/// N tokens in B examples, which PackedTokens calls sentences.
struct PretrainingBatch {
  PackedTokens tokens;                 // after masking
  std::vector<int32_t> segments;       // [N], 0, or 1 in the second text of a pair
  std::vector<int64_t> masked_rows;    // ascending rows of `tokens`
  std::vector<int32_t> masked_ids;     // the pieces to predict there
  std::vector<int32_t> next_sentence;  // [B], 0: B continues A, 1: B is from elsewhere;
                                       // empty without pairs
  bool operator==(const PretrainingBatch&) const = default;
};

struct PretrainingOptions {
  ExampleOptions examples;
  MaskingOptions masking;
  int64_t batch_tokens = 8192;  // limit of a batch; a longer example forms its own batch
  uint64_t seed = 1;
  // Relative shares of the texts, such as languages, in the examples. An epoch has as many examples
  // as all texts together. Each text is used in one shuffled pass after another, and the next epoch
  // continues where the last one stopped. Pairs are made anew each epoch, so their passes end with
  // it. Empty: every example once per epoch.
  std::vector<double> weights = {};
  BatchShare share = {};  // changes neither the batches nor their order
  std::vector<std::string> problems() const;
};

/// The shuffled batches of epochs. An epoch depends only on (texts, options, epoch): examples of
/// all lengths are shuffled and cut into batches, with new pairs and masks. The texts have the same
/// tokenizer and outlive the source. The plan of an epoch takes 12 bytes per example, 20 per pair,
/// and 4 per batch. Throws ConfigError for wrong options.
std::shared_ptr<BatchSource<PretrainingBatch>> pretraining_source(
    std::span<const TextCorpus> texts, const PretrainingOptions& options);

/// Endless batches of pretraining_source().
class PretrainingIterator : public EpochBatches<PretrainingBatch> {
 public:
  /// Throws ConfigError for wrong options, DataError as plan_examples does, Error for a start that
  /// does not exist.
  PretrainingIterator(std::span<const TextCorpus> texts, const PretrainingOptions& options,
                      BatchPosition start = {});
};

/// All examples once in the order of the corpus, with pairs and masks that depend only on the seed
/// and differ from those of every training epoch. The weights are for training.
std::vector<PretrainingBatch> validation_batches(const TextCorpus& corpus,
                                                 const PretrainingOptions& options);

}  // namespace dietmt::data
