#include "data/shortlist/build_shortlist.h"

#include <gmock/gmock.h>

#include "data/shortlist/aligner.h"
#include "tests/data/shortlist/toy_pairs.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;
using Ids = std::vector<int32_t>;

constexpr FixedCount kOne = 1ULL << 32;

// Ids of the toy tokenizer's 100 pieces: 0 unknown, 1 and 2 begin and end of sentence.
class BuildShortlistTest : public ToyTextTest {
 protected:
  // Source 10 translates to 20, 21, 22 and 0 with falling probability, source 11 to itself.
  static TranslationTable table() {
    const std::vector<CellCount> cells = {
        {CellCount::key_of(10, 0), 5 * kOne},  {CellCount::key_of(10, 20), 4 * kOne},
        {CellCount::key_of(10, 21), 3 * kOne}, {CellCount::key_of(10, 22), 3 * kOne},
        {CellCount::key_of(10, 23), 0},        {CellCount::key_of(11, 11), kOne}};
    std::vector<FixedCount> counts;
    for (const CellCount& cell : cells) counts.push_back(cell.count);
    TranslationTable table(cells, 100);
    table.set_probabilities(counts, 0);
    return table;
  }

  const IdText ids_{{{10}, {10, 11}, {11}}, {{40, 41, 0, 0, 0}, {41, 42}, {42, 41, 1}}};

  ShortlistContent built(const ShortlistSizes& sizes) const {
    return build_shortlist(table(), ids_.pairs(100, 100), tokenizer(), tokenizer(), sizes);
  }
  static Ids row(const ShortlistContent& content, size_t source) {
    return {content.ids.begin() + content.bounds[source],
            content.ids.begin() + content.bounds[source + 1]};
  }
};

TEST_F(BuildShortlistTest, FrequentIdsAndEndOfSentenceAreAlwaysThere) {
  EXPECT_THAT(built({.best = 5, .first = 2}).always, ElementsAre(2, 41, 42));
  EXPECT_THAT(built({.best = 5, .first = 0}).always, ElementsAre(2));
  EXPECT_THAT(built({.best = 5, .first = 50}).always, ElementsAre(2, 40, 41, 42))
      << "ids that do not occur, unknown and begin of sentence are not frequent";
}

TEST_F(BuildShortlistTest, TheBestCandidatesComeFirstAndTheSourcePieceLast) {
  EXPECT_THAT(row(built({.best = 2, .first = 2}), 10), ElementsAre(20, 21, 10));
  EXPECT_THAT(row(built({.best = 9, .first = 2}), 10), ElementsAre(20, 21, 22, 10))
      << "unknown and what has no probability are no candidates";
  EXPECT_THAT(row(built({.best = 9, .first = 2}), 11), ElementsAre(11));
  EXPECT_THAT(row(built({.best = 9, .first = 2}), 12), ElementsAre(12));
  for (const size_t special : {0, 1, 2})
    EXPECT_THAT(row(built({.best = 9, .first = 2}), special), ElementsAre());
}

TEST_F(BuildShortlistTest, CoverageIsCounted) {
  const std::filesystem::path file = scratch() / "shortlist.bin";
  write_shortlist(file, built({.best = 2, .first = 2}), tokenizer(), tokenizer());
  const Shortlist shortlist(file, tokenizer(), tokenizer());
  const IdText text{{{10}, {10, 12}}, {{20, 41, 22}, {12, 21}}};
  const ShortlistCoverage coverage = coverage_of(shortlist, text.pairs(100, 100));
  EXPECT_EQ(coverage.sentences, 2);
  EXPECT_EQ(coverage.tokens, 5);
  EXPECT_EQ(coverage.covered_tokens, 4);
  EXPECT_EQ(coverage.covered_sentences, 1);
  EXPECT_EQ(coverage.candidates, 6 + 7);  // 2 41 42 and 10 20 21, then also 12
  EXPECT_DOUBLE_EQ(coverage.token_share(), 0.8);
  EXPECT_DOUBLE_EQ(coverage.mean_size(), 6.5);
}

TEST_F(BuildShortlistTest, FromTextToCandidates) {
  const ParallelCorpus corpus({{source_file(), target_file()}}, tokenizer(), tokenizer(), {},
                              scratch() / "cache", 1);
  const SentencePairs pairs = sentence_pairs(corpus, tokenizer(), tokenizer());
  EXPECT_EQ(pairs.size, 600);
  EXPECT_EQ(pairs.at(3).target.size() + 1, corpus.target(3).size());
  const TranslationTable table = align(pairs, {}, [](const AlignerIteration&) {});
  const ShortlistContent content =
      build_shortlist(table, pairs, tokenizer(), tokenizer(), {.best = 8, .first = 10});
  write_shortlist(scratch() / "shortlist.bin", content, tokenizer(), tokenizer());
  const Shortlist shortlist(scratch() / "shortlist.bin", tokenizer(), tokenizer());
  EXPECT_THAT(content.ids, Not(Contains(tokenizer().unknown_id())));
  EXPECT_THAT(content.ids, Not(Contains(tokenizer().begin_id())));
  Ids ids;
  shortlist.candidates(corpus.source(0), ids);
  EXPECT_THAT(ids, IsSupersetOf(content.always));
  // By chance a shortlist of this size would cover about half of the text.
  EXPECT_GT(coverage_of(shortlist, pairs).token_share(), 0.95);
}

}  // namespace
}  // namespace dietmt::data
