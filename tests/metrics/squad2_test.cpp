// Expected figures are from SQuAD's evaluate-v2.0.py under Python 3.11 for the same questions,
// predictions and null scores, unless a test says otherwise.
#include "metrics/squad2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "common/error.h"

namespace dietmt::metrics {
namespace {

using Questions = std::vector<QuestionAnswers>;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Question e has gold answers, but none with words.
const Questions kQuestions{{"a", {"Normandy", "the Normandy coast"}},
                           {"b", {"10th century"}},
                           {"c", {}},
                           {"d", {}},
                           {"e", {"A"}},
                           {"f", {}},
                           {"g", {"Rollo"}}};
const Predictions kPredictions{
    {"a", "Normandy"}, {"b", "in the 10th"}, {"c", ""},     {"d", "Rollo"},
    {"e", ""},         {"f", "the"},         {"g", "Rollo"}};
const NullScores kNullScores{{"a", -2.0}, {"b", 0.5}, {"c", 3.0}, {"d", 1.5},
                             {"e", -1.0}, {"f", 2.0}, {"g", 4.0}};

TEST(Squad2, GroupsOfQuestions) {
  const Squad2Scores scores = squad2_scores(kQuestions, kPredictions);
  EXPECT_DOUBLE_EQ(scores.all.exact, 71.42857142857143);
  EXPECT_DOUBLE_EQ(scores.all.f1, 78.57142857142857);
  EXPECT_DOUBLE_EQ(scores.has_answer.exact, 75.0);
  EXPECT_DOUBLE_EQ(scores.has_answer.f1, 87.5);
  EXPECT_DOUBLE_EQ(scores.no_answer.exact, 66.66666666666667);
  EXPECT_DOUBLE_EQ(scores.no_answer.f1, 66.66666666666667);
  EXPECT_EQ(scores.all.questions, 7);
  EXPECT_EQ(scores.has_answer.questions, 4);
  EXPECT_EQ(scores.no_answer.questions, 3);
}

TEST(Squad2, ThresholdEmptiesPredictions) {
  const Squad2Scores high = squad2_scores(kQuestions, kPredictions, kNullScores, 1.0);
  EXPECT_DOUBLE_EQ(high.all.f1, 78.57142857142857);
  EXPECT_DOUBLE_EQ(high.has_answer.f1, 62.5);
  EXPECT_DOUBLE_EQ(high.no_answer.f1, 100.0);
  const Squad2Scores low = squad2_scores(kQuestions, kPredictions, kNullScores, -1.5);
  EXPECT_DOUBLE_EQ(low.all.exact, 57.142857142857146);
  EXPECT_DOUBLE_EQ(low.has_answer.exact, 25.0);
  EXPECT_DOUBLE_EQ(low.no_answer.exact, 100.0);
}

TEST(Squad2, ThresholdItselfKeepsThePrediction) {
  const Questions questions{{"a", {"x"}}};
  EXPECT_EQ(squad2_scores(questions, {{"a", "x"}}, {{"a", 0.5}}, 0.5).all.exact, 100.0);
  EXPECT_EQ(squad2_scores(questions, {{"a", "x"}}, {{"a", 0.5}}, 0.49).all.exact, 0.0);
}

TEST(Squad2, BestThresholds) {
  const BestThresholds best = best_thresholds(kQuestions, kPredictions, kNullScores);
  EXPECT_DOUBLE_EQ(best.exact, 71.42857142857143);
  EXPECT_EQ(best.exact_threshold, -1.0);
  EXPECT_DOUBLE_EQ(best.f1, 78.57142857142857);
  EXPECT_EQ(best.f1_threshold, 0.5);
}

TEST(Squad2, EqualNullScoresGoInTheOrderOfTheQuestions) {
  const QuestionAnswers answerable{"a", {"x"}}, unanswerable{"b", {}}, last{"c", {"y"}};
  const Predictions predictions{{"a", "x"}, {"b", "z"}, {"c", "y"}};
  const NullScores null_scores{{"a", 0.5}, {"b", 0.5}, {"c", 0.7}};
  const auto threshold = [&](const Questions& questions) {
    return best_thresholds(questions, predictions, null_scores).exact_threshold;
  };
  EXPECT_EQ(threshold({answerable, unanswerable, last}), 0.5);
  EXPECT_EQ(threshold({unanswerable, answerable, last}), 0.7);
}

TEST(Squad2, NoThresholdBeatsAnsweringNothing) {
  const BestThresholds best = best_thresholds({{"a", {"x"}}, {"b", {}}}, {{"a", "q"}, {"b", "z"}},
                                              {{"a", -3.0}, {"b", -5.0}});
  EXPECT_DOUBLE_EQ(best.exact, 50.0);
  EXPECT_EQ(best.exact_threshold, 0.0);
}

// "the" scores like no answer, yet the pass over thresholds treats it as an answer.
TEST(Squad2, WordlessPredictionsAreNotEmptyForThresholds) {
  const Questions questions{{"a", {}}, {"b", {"x"}}};
  const Predictions predictions{{"a", "the"}, {"b", "x"}};
  EXPECT_EQ(squad2_scores(questions, predictions).all.exact, 100.0);
  const BestThresholds best = best_thresholds(questions, predictions, {{"a", 0.1}, {"b", 0.2}});
  EXPECT_EQ(best.exact, 50.0);
  EXPECT_EQ(best.exact_threshold, 0.0);
}

TEST(Squad2, WordlessGoldAnswersGiveWayToOthers) {
  const Questions questions{{"a", {"The", "x"}}, {"b", {"x"}}, {"c", {}}};
  const Squad2Scores scores = squad2_scores(questions, {{"a", "the"}, {"b", "x"}, {"c", ""}});
  EXPECT_EQ(scores.has_answer.exact, 50.0);
  EXPECT_EQ(scores.has_answer.f1, 50.0);
}

// The script stops here; we count 0.
TEST(Squad2, MissingPredictionsCountZero) {
  const Questions questions{{"a", {"x"}}, {"b", {}}, {"c", {"y"}}, {"d", {}}};
  const Predictions predictions{{"a", "x"}, {"d", ""}};
  const Squad2Scores scores = squad2_scores(questions, predictions);
  EXPECT_DOUBLE_EQ(scores.all.exact, 50.0);
  EXPECT_EQ(scores.all.missing, 2);
  EXPECT_EQ(scores.has_answer.missing, 1);
  EXPECT_DOUBLE_EQ(scores.has_answer.f1, 50.0);
  EXPECT_DOUBLE_EQ(scores.no_answer.f1, 50.0);
  EXPECT_DOUBLE_EQ(best_thresholds(questions, predictions, {{"a", 0.1}, {"d", 0.9}}).exact, 50.0);
}

TEST(Squad2, OneGroupMayBeEmpty) {
  const Squad2Scores scores = squad2_scores({{"a", {"x"}}}, {{"a", "x"}});
  EXPECT_EQ(scores.all.exact, 100.0);
  EXPECT_EQ(scores.no_answer.questions, 0);
  EXPECT_EQ(scores.no_answer.exact, 0.0);
}

TEST(Squad2, WhatCannotBeScoredIsAnError) {
  EXPECT_THAT([] { squad2_scores({}, {}); }, ThrowsMessage<Error>(HasSubstr("no questions")));
  const Questions questions{{"a", {"x"}}};
  for (const NullScores& null_scores : {NullScores{}, NullScores{{"a", std::nan("")}}}) {
    EXPECT_THAT(
        [&] {
          best_thresholds(questions, {{"a", "x"}}, null_scores);
        },
        ThrowsMessage<Error>(HasSubstr("question a has a prediction but no null score")));
    EXPECT_THAT(
        [&] {
          squad2_scores(questions, {{"a", "x"}}, null_scores, 1.0);
        },
        ThrowsMessage<Error>(HasSubstr("question a")));
  }
}

}  // namespace
}  // namespace dietmt::metrics
