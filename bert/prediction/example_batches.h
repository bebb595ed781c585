// Batches of whole examples, packed end to end: mixed lengths cost nothing extra. An encoder reads
// texts as (Devlin et al. 2019, section 3)
//
//   [CLS] first [SEP]        [CLS] first [SEP] second [SEP]
//   segment 0 0   0                0 0     0     1      1
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/random.h"
#include "data/corpus/batches.h"
#include "data/tasks/task_reader.h"
#include "data/text/bert_tokenizer.h"

namespace dietmt::bert {

/// Encoded texts, end to end.
struct EncodedInputs {
  data::PackedTokens tokens;                // input i is sentence i
  std::vector<int32_t> second_begins = {};  // in each input, the token where segment 1 begins; its
                                            // length if it has none
  int64_t cut = 0;                          // inputs that lost pieces to the greatest length

  int64_t size() const { return tokens.sentences(); }
  std::span<const int32_t> input(int64_t i) const;
  int64_t length(int64_t i) const { return std::ssize(input(i)); }
  void append(std::span<const int32_t> ids, int64_t second_begin);
};

/// Hash of the token ids and segments, in order.
uint64_t content_hash(const EncodedInputs& inputs);

/// Hash of all sets of a validation; each has a content_hash().
template <typename Set>
uint64_t content_hash(const std::vector<Set>& sets) {
  uint64_t hash = sets.size();
  for (const Set& set : sets) hash = random_key(hash, content_hash(set));
  return hash;
}

struct InputOptions {
  int64_t max_length = 128;  // with the special pieces
  bool pairs = false;        // a second text, even an empty one, has its [SEP]

  /// A problem with them; empty if there is none.
  std::vector<std::string> problems() const;
};

/// A pair that is too long loses pieces from the end of its longer text, one by one, of two equal
/// ones from the second. Throws ConfigError for options with problems.
EncodedInputs encode_examples(std::span<const data::Example> examples,
                              const data::BertTokenizer& tokenizer, const InputOptions& options);

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

/// Endless shuffled batches. The order of an epoch depends only on (seed, epoch). The
/// inputs, at least one, must outlive this.
class ExampleBatches : public data::EpochBatches<ExampleBatch> {
 public:
  /// Throws Error for a start that does not exist, or if there is no input.
  ExampleBatches(const EncodedInputs& inputs, const ExampleBatchOptions& options,
                 data::BatchPosition start = {});
};

/// How many batches that makes.
int64_t batches_in_epoch(int64_t examples, int64_t batch_size);

/// All inputs once, the shortest first, in batches of at most `batch_tokens`; a longer input
/// is its own batch.
std::vector<ExampleBatch> all_batches(const EncodedInputs& inputs, int64_t batch_tokens);

}  // namespace dietmt::bert
