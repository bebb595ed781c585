// Texts as an encoder reads them (Devlin et al. 2019, section 3), end to end:
//
//   [CLS] first [SEP]        [CLS] first [SEP] second [SEP]
//   segment 0 0   0                0 0     0     1      1
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/random.h"
#include "data/corpus/batches.h"
#include "data/tasks/task_reader.h"
#include "data/text/bert_tokenizer.h"

namespace dietmt::bert {

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

/// Of the token ids and segments, in order.
uint64_t content_hash(const EncodedInputs& inputs);

/// Of all sets of a validation, which have a content_hash() each.
template <typename Set>
uint64_t content_hash(const std::vector<Set>& sets) {
  uint64_t hash = sets.size();
  for (const Set& set : sets) hash = random_key(hash, content_hash(set));
  return hash;
}

struct InputOptions {
  int64_t max_length = 128;  // with the special pieces
  bool pairs = false;        // a second text, even an empty one, has its [SEP]

  /// What is wrong with them; empty if nothing is.
  std::vector<std::string> problems() const;
};

/// A pair that is too long loses pieces from the end of its longer text, one by one, of two equal
/// ones from the second. Throws ConfigError for options with problems.
EncodedInputs encode_examples(std::span<const data::Example> examples,
                              const data::BertTokenizer& tokenizer, const InputOptions& options);

}  // namespace dietmt::bert
