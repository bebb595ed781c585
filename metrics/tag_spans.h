// Entities in tagged sentences (B-PER I-PER O), as seqeval 1.2.2 finds and scores them by default.
// XTREME scores both of its tagging tasks so, part-of-speech tags without prefixes too.
//
//   span_f1(predicted, gold)
//
// A tag is its first character and, after the next hyphen or directly, its type. Broken sequences
// count: I-PER after O or after another type begins an entity.
#pragma once

#include <string>
#include <vector>

namespace dietmt::metrics {

/// Tags of sentences, one a word.
using TaggedSentences = std::vector<std::vector<std::string>>;

/// Words begin .. end of all sentences, counted with one more place after each sentence.
struct TagSpan {
  std::string type;
  size_t begin = 0;
  size_t end = 0;
  bool operator==(const TagSpan&) const = default;
};

/// In their order; no two have the same end.
std::vector<TagSpan> tag_spans(const TaggedSentences& sentences);

/// F1 over all entities, as a fraction of one: an entity is right if its type and both its ends
/// are. 0 if either side has none. Throws Error if the sides differ in sentences or words.
double span_f1(const TaggedSentences& predicted, const TaggedSentences& gold);

/// The share of words with the right tag. Throws likewise, and if there are no words.
double tag_accuracy(const TaggedSentences& predicted, const TaggedSentences& gold);

}  // namespace dietmt::metrics
