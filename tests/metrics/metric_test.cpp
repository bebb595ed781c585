// Properties of the metrics that need no external data.
#include "metrics/metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "common/error.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ter.h"

namespace dietmt::metrics {
namespace {

using Lines = std::vector<std::string>;
using testing::HasSubstr;
using testing::StartsWith;

const Lines kHypotheses = {"the cat sat on the mat .", "a dog barks", ""};
const Lines kReferences = {"the cat sat on a mat .", "the dog barks loudly", "nothing"};

TEST(Metric, PerfectTranslation) {
  EXPECT_DOUBLE_EQ(Bleu({}).corpus_score(kReferences, {kReferences}).score, 100.0);
  EXPECT_DOUBLE_EQ(Chrf({}).corpus_score(kReferences, {kReferences}).score, 100.0);
  EXPECT_DOUBLE_EQ(Ter({}).corpus_score(kReferences, {kReferences}).score, 0.0);
}

TEST(Metric, BleuByHand) {
  // Words 6 + 2 of 10 (the second "the" is clipped), bigrams 4 + 1 of 8, trigrams 2 of 6,
  // four-grams 1 of 4; lengths 10 and 12.
  const Score score = Bleu({}).corpus_score(kHypotheses, {kReferences});
  const double mean = std::pow(8. / 10 * 5 / 8 * 2 / 6 * 1 / 4, 0.25);
  EXPECT_NEAR(score.score, 100 * std::exp(1 - 12. / 10) * mean, 1e-10);
}

TEST(Metric, SeveralReferences) {
  const References both{kReferences, {"the cat sat on the mat .", "a dog barked", "x y"}};
  const std::vector<double> statistics = Bleu({}).sentence_statistics(
      "a dog barks", std::vector<std::string>{"the dog barks loudly", "a dog barked"});
  EXPECT_EQ(statistics, (std::vector<double>{3, 3, 3, 2, 0, 0, 3, 2, 1, 0}));
  EXPECT_GT(Bleu({}).corpus_score(kHypotheses, both).score,
            Bleu({}).corpus_score(kHypotheses, {kReferences}).score);
}

TEST(Metric, Signatures) {
  EXPECT_THAT(Bleu({}).signature(1),
              StartsWith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:dietmt-"));
  EXPECT_THAT(
      Bleu({.lowercase = true, .smoothing = Smoothing::kFloor}).signature(2, "bs:9|seed:1|"),
      HasSubstr("nrefs:2|bs:9|seed:1|case:lc|eff:no|tok:13a|smooth:floor[0.10]|version:"));
  EXPECT_THAT(Bleu({.smoothing = Smoothing::kAddK, .max_order = 2}).signature(1),
              HasSubstr("smooth:add-k[1.00]|order:2|version:"));
  EXPECT_THAT(Chrf({.word_order = 2}).signature(1),
              HasSubstr("nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:"));
  EXPECT_THAT(Ter({.no_punct = true}).signature(1),
              HasSubstr("nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:"));
  EXPECT_EQ(Chrf({.word_order = 2}).name(), "chrF2++");
}

TEST(Metric, BadCorporaAreErrorsWithCounts) {
  EXPECT_THROW(Bleu({}).corpus_score(kHypotheses, {}), DataError);
  EXPECT_THROW(Bleu({}).corpus_score({}, {Lines{}}), DataError);
  try {
    Chrf({}).corpus_score(kHypotheses, {kReferences, {"one"}});
    FAIL() << "unequal lengths were accepted";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("reference set 2 has 1 sentences"));
    EXPECT_THAT(error.what(), HasSubstr("3"));
  }
}

TEST(Metric, BadOptions) {
  EXPECT_THROW(Bleu({.max_order = 0}), ConfigError);
  EXPECT_THROW(Chrf({.char_order = 0}), ConfigError);
  EXPECT_THROW(smoothing_from_name("add"), ConfigError);
}

TEST(Metric, SumOfSentenceStatisticsGivesTheCorpusScore) {
  const Ter ter({});
  const CorpusStatistics statistics = ter.corpus_statistics(kHypotheses, {kReferences});
  ASSERT_EQ(statistics.sentences(), 3);
  EXPECT_EQ(statistics.sum(), (std::vector<double>{4, 12}));
  EXPECT_DOUBLE_EQ(ter.score(statistics.sum()).score, 100. * 4 / 12);
}

TEST(TranslationEdits, CountsShiftsAsOneEdit) {
  EXPECT_EQ(translation_edits({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}), 0);
  EXPECT_EQ(translation_edits({4, 5, 1, 2, 3}, {1, 2, 3, 4, 5}), 1);
  EXPECT_EQ(translation_edits({4, 5, 1, 2, 9}, {1, 2, 3, 4, 5}), 2);
  EXPECT_EQ(translation_edits({}, {1, 2}), 2);
  EXPECT_EQ(translation_edits({1, 2}, {}), 2);
}

TEST(TranslationEdits, LongSentencesNeedLittleMemory) {
  Symbols hypothesis, reference;
  for (uint32_t i = 0; i < 100'000; ++i) {
    reference.push_back(i);
    if (i % 1000 != 7) hypothesis.push_back(i);
  }
  EXPECT_EQ(translation_edits(hypothesis, reference), 100);
}

}  // namespace
}  // namespace dietmt::metrics
