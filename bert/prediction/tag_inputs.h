// Tagged sentences as the windows that an encoder reads: [CLS] pieces of the words [SEP]. The first
// piece of a word decides its tag (Devlin et al. 2019, section 5.3). A sentence that is too long
// becomes several windows that overlap by half; a word is decided where most of the sentence stands
// on both sides.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bert/prediction/example_batches.h"
#include "data/tasks/tag_reader.h"
#include "data/text/bert_tokenizer.h"

namespace dietmt::bert {

struct TagInputs {
  std::string name = {};  // of a validation set; suffix of the names of its scores
  data::TaggedData data = {};
  EncodedInputs inputs = {};  // the windows
  /// For each token of the windows the word that it decides, counted over all sentences; -1: none.
  std::vector<int32_t> words = {};
  std::vector<int32_t> tags = {};  // of each word; empty: without tags
};

uint64_t content_hash(const TagInputs& inputs);

/// A word without pieces becomes the unknown piece. Throws ConfigError if `max_length` is below
/// three.
TagInputs encode_tags(data::TaggedData data, const data::BertTokenizer& tokenizer,
                      int64_t max_length);

/// From the tags of all tokens to those of the words, by name.
metrics::TaggedSentences predicted_tags(const TagInputs& inputs, std::span<const int32_t> tokens);

}  // namespace dietmt::bert
