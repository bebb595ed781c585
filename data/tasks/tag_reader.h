// Sentences with a tag for each word, as in XTREME's UD-POS and PANX: a line a word, its tag after
// a tab, and an empty line between sentences. In WikiAnn's own files, which PANX is made of, every
// word has the language in front ("en:Rome"); it is no part of the word.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/tasks/task_reader.h"
#include "data/tasks/task_table.h"
#include "metrics/tag_spans.h"

namespace dietmt::data {

struct TaggedSentence {
  std::vector<std::string> words = {};  // UTF-8
  std::vector<int32_t> tags = {};       // indices in TaggedData::labels; empty: without tags
  int64_t line = 0;                     // of the first word, from 1
};

struct TaggedData {
  std::vector<TaggedSentence> sentences = {};
  std::vector<std::string> labels = {};
  bool labelled = false;
  RowTally not_utf8;  // words kept, with U+FFFD for what is not UTF-8

  int64_t words() const;

  /// One part of a sentence: how many sentences, words and tags, and what was repaired.
  std::string summary() const;
};

/// `labels`: the tags that there are; empty: those found, sorted. `path` may be compressed or "-".
/// Throws DataError (file:line): a line with more than a word and a tag, a tag that is unknown,
/// words with a tag among others without, no words at all.
TaggedData read_tagged(const std::string& path, const std::vector<std::string>& labels,
                       LabelUse use);

/// The names of given tags, one a word of all sentences in order.
metrics::TaggedSentences named_tags(const TaggedData& data, std::span<const int32_t> tags);

/// All tags of labelled sentences.
std::vector<int32_t> tags_of(const TaggedData& data);

}  // namespace dietmt::data
