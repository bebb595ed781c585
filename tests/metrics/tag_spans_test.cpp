// Expected spans and figures are from seqeval 1.2.2 (get_entities, f1_score, accuracy_score) with
// its defaults for the same tags.
#include "metrics/tag_spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "common/error.h"

namespace dietmt::metrics {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// "B-PER O|O": two sentences.
TaggedSentences tagged(const std::string& text) {
  TaggedSentences sentences;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, '|');) {
    std::istringstream words(part);
    sentences.emplace_back();
    for (std::string tag; words >> tag;) sentences.back().push_back(tag);
  }
  return sentences;
}

TEST(TagSpans, AreEntitiesWithTypeAndEnds) {
  EXPECT_THAT(tag_spans(tagged("B-PER I-PER O B-LOC")),
              ElementsAre(TagSpan{"PER", 0, 1}, TagSpan{"LOC", 3, 3}));
  EXPECT_THAT(tag_spans(tagged("O O|O")), ElementsAre());
}

TEST(TagSpans, OfBrokenSequencesAreThoseOfSeqeval) {
  EXPECT_THAT(tag_spans(tagged("I-PER I-PER O I-LOC|O I-PER")),
              ElementsAre(TagSpan{"PER", 0, 1}, TagSpan{"LOC", 3, 3}, TagSpan{"PER", 6, 6}));
  EXPECT_THAT(tag_spans(tagged("B-PER I-LOC I-LOC O B-LOC B-LOC")),
              ElementsAre(TagSpan{"PER", 0, 0}, TagSpan{"LOC", 1, 2}, TagSpan{"LOC", 4, 4},
                          TagSpan{"LOC", 5, 5}));
}

TEST(TagSpans, OfTagsWithoutPrefixAreRunsOfEqualTags) {
  EXPECT_THAT(tag_spans(tagged("DET NOUN VERB|X PUNCT|NOUN VERB SYM SYM X ADJ")),
              ElementsAre(TagSpan{"ET", 0, 0}, TagSpan{"OUN", 1, 1}, TagSpan{"ERB", 2, 2},
                          TagSpan{"_", 2, 4}, TagSpan{"UNCT", 5, 5}, TagSpan{"OUN", 7, 7},
                          TagSpan{"ERB", 8, 8}, TagSpan{"YM", 9, 9}, TagSpan{"YM", 10, 10},
                          TagSpan{"_", 11, 11}, TagSpan{"DJ", 12, 12}));
}

struct SpanCase {
  const char* gold;
  const char* predicted;
  double f1;
  double accuracy;
};
constexpr SpanCase kSpanCases[] = {
    {"B-PER I-PER O B-LOC|O B-ORG", "I-PER I-PER O I-LOC|O I-PER", 0.6666666666666666, 0.5},
    {"B-PER I-PER O O B-LOC I-LOC", "B-PER I-LOC I-LOC O B-LOC B-LOC", 0.0, 0.5},
    {"O I-PER I-ORG O|I-LOC", "O B-PER B-ORG O|B-LOC", 1.0, 0.4},
    {"S-PER E-PER O B-LOC E-LOC", "B-PER E-PER O B-LOC I-LOC", 0.4, 0.6},
    {"DET NOUN VERB|X PUNCT|NOUN NOUN SYM SYM X ADJ",
     "DET NOUN VERB|X PUNCT|NOUN VERB SYM SYM X ADJ", 0.8571428571428572, 0.9090909090909091},
    {"ADJ ADJ NOUN INTJ PUNCT|X", "ADJ NOUN NOUN INTJ PUNCT|NOUN", 0.4444444444444445,
     0.6666666666666666},
    {"O O", "O O", 0.0, 1.0},
    {"B I O B-", "I I O B", 1.0, 0.5},
    {"I-LOC O I-ORG I-PER O|O I-LOC I-ORG|B-ORG O I-PER O|B-ORG B-LOC B-PER B-ORG|O B-PER "
     "I-ORG|B-PER O O|I-PER B-PER B-PER B-LOC|I-PER I-PER B-PER I-PER B-ORG B-LOC|I-LOC|B-PER "
     "B-PER B-LOC O I-LOC B-LOC O|O B-LOC I-LOC B-LOC I-ORG I-LOC|I-ORG I-ORG B-PER",
     "I-LOC O I-LOC O O|O I-LOC I-ORG|B-ORG O I-PER O|B-ORG I-ORG B-PER B-ORG|O O I-ORG|I-LOC O "
     "O|I-PER B-PER B-PER I-LOC|I-PER O B-PER I-PER B-ORG B-LOC|I-LOC|B-PER B-PER O B-ORG I-LOC "
     "I-LOC I-ORG|O B-LOC O I-LOC B-PER B-PER|I-ORG O B-PER",
     0.6153846153846154, 0.673469387755102},
    {"INTJ ADJ _ SYM INTJ SCONJ|OTHER SCONJ SCONJ|SCONJ SYM SYM SCONJ _ INTJ|_ OTHER|SCONJ X "
     "INTJ|SCONJ SYM|OTHER OTHER X ADP X . ADJ SYM X|SYM SCONJ SYM SYM X INTJ . ADJ SCONJ|SYM X "
     "SYM SCONJ SYM OTHER X X SYM|_ X INTJ SCONJ X X|INTJ OTHER INTJ NOUN X SCONJ SYM ADP _|. . "
     "OTHER",
     "INTJ ADJ _ SYM ADJ SCONJ|OTHER SCONJ SCONJ|INTJ SYM SYM SCONJ _ INTJ|_ OTHER|SCONJ X "
     "INTJ|SCONJ SYM|OTHER OTHER X ADJ X _ OTHER SYM X|SYM SCONJ SYM SYM X INTJ . OTHER SCONJ|SYM "
     "X SYM INTJ SYM OTHER ADJ X SYM|OTHER X INTJ _ X SCONJ|INTJ _ INTJ INTJ X SCONJ SCONJ ADP "
     "_|SYM . OTHER",
     0.74, 0.7761194029850746}};

TEST(SpanF1, IsThatOfSeqeval) {
  for (const SpanCase& one : kSpanCases) {
    EXPECT_NEAR(span_f1(tagged(one.predicted), tagged(one.gold)), one.f1, 1e-15) << one.gold;
    EXPECT_NEAR(tag_accuracy(tagged(one.predicted), tagged(one.gold)), one.accuracy, 1e-15)
        << one.gold;
  }
}

TEST(SpanF1, NeedsATagForEachWord) {
  EXPECT_THAT([] { span_f1(tagged("O"), tagged("O|O")); },
              ThrowsMessage<Error>(HasSubstr("1 tagged sentences, expected 2")));
  EXPECT_THAT([] { tag_accuracy(tagged("O|O"), tagged("O|O O")); },
              ThrowsMessage<Error>(HasSubstr("sentence 2 has 1 tags, expected 2")));
  EXPECT_THAT([] { tag_accuracy({}, {}); }, ThrowsMessage<Error>(HasSubstr("no tagged words")));
}

}  // namespace
}  // namespace dietmt::metrics
