// Expected figures are those of evaluate() in SQuAD's evaluate-v1.1.py and MLQA's
// mlqa_evaluation_v1.py under Python 3.11 for the same questions and predictions.
#include "metrics/span_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace dietmt::metrics {
namespace {

using Questions = std::vector<QuestionAnswers>;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(SpanScores, SquadWithMissingEmptyAndArticleOnlyPredictions) {
  const Questions questions{{"1", {"Denver Broncos", "The Broncos"}},
                            {"2", {"to be"}},
                            {"3", {"Santa Clara, California"}},
                            {"4", {"a"}},
                            {"5", {"gold"}},
                            {"6", {"1973"}}};
  const Predictions predictions{{"1", "broncos!"},
                                {"2", "to be or not to be"},
                                {"3", "in the Santa Clara"},
                                {"4", "the"},
                                {"5", ""},
                                {"7", "x"}};
  const SpanScores scores = span_scores(questions, predictions);
  EXPECT_DOUBLE_EQ(scores.exact, 33.333333333333336);
  EXPECT_DOUBLE_EQ(scores.f1, 36.11111111111111);
  EXPECT_EQ(scores.questions, 6);
  EXPECT_EQ(scores.missing, 1);
}

// Two answers without words are equal, but share no word.
TEST(SpanScores, ArticleOnlyAnswers) {
  const SpanScores scores = span_scores({{"1", {"a"}}}, {{"1", "The."}});
  EXPECT_EQ(scores.exact, 100.0);
  EXPECT_EQ(scores.f1, 0.0);
}

TEST(SpanScores, WordsCountAsOftenAsTheyOccur) {
  const std::vector<std::string> twice{"to", "be", "to"}, once{"to", "go"};
  EXPECT_DOUBLE_EQ(words_f1(twice, once), 2 * (1. / 3) * (1. / 2) / (1. / 3 + 1. / 2));
  EXPECT_DOUBLE_EQ(words_f1(once, twice), words_f1(twice, once));
  EXPECT_EQ(words_f1({}, {}), 0.0);
}

struct MlqaCase {
  std::string language;
  Questions questions;
  Predictions predictions;
  double exact;
  double f1;
};

class Mlqa : public testing::TestWithParam<MlqaCase> {};

TEST_P(Mlqa, EqualsTheScript) {
  const MlqaCase& given = GetParam();
  const SpanScores scores =
      span_scores(given.questions, given.predictions, AnswerWords::mlqa(given.language));
  EXPECT_DOUBLE_EQ(scores.exact, given.exact);
  EXPECT_DOUBLE_EQ(scores.f1, given.f1);
}

INSTANTIATE_TEST_SUITE_P(
    Languages, Mlqa,
    testing::Values(MlqaCase{"de",
                             {{"1", {"der Müller"}},
                              {"2", {"im 19. Jahrhundert", "19. Jahrhundert"}}},
                             {{"1", "Die MÜLLER!"}, {"2", "des „19.“ Jahrhundert"}},
                             100.0,
                             100.0},
                    MlqaCase{"zh",
                             {{"1", {"北京大学"}}, {"2", {"2008年8月"}}, {"3", {"中华民国"}}},
                             {{"1", "北京的大学"}, {"2", "2008年"}, {"3", "“中华民国”"}},
                             33.333333333333336,
                             85.18518518518518},
                    MlqaCase{"ar",
                             {{"1", {"الكتاب الكبير"}}, {"2", {"في البيت"}}},
                             {{"1", "كتاب كبير"}, {"2", "البيت"}},
                             50.0,
                             83.33333333333333},
                    MlqaCase{"hi",
                             {{"1", {"लाल किताब।"}}, {"2", {"दिल्ली में"}}},
                             {{"1", "लाल किताब"}, {"2", "नई दिल्ली में"}},
                             50.0,
                             90.0}),
    [](const auto& one) { return one.param.language; });

TEST(SpanScores, QuestionsThatCannotBeScoredAreErrors) {
  EXPECT_THAT([] { span_scores({}, {}); }, ThrowsMessage<Error>(HasSubstr("no questions")));
  EXPECT_THAT(
      [] {
        span_scores({{"q7", {}}}, {{"q7", ""}});
      },
      ThrowsMessage<Error>(HasSubstr("question q7 has no gold answer")));
}

}  // namespace
}  // namespace dietmt::metrics
