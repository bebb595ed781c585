#include "data/tasks/prediction_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/common/scratch.h"

namespace dietmt::data {
namespace {

using ::testing::HasSubstr;

class PredictionScoresTest : public ScratchTest {
 protected:
  PredictionScores scores(const std::string& task, const std::string& reference,
                          const std::string& predictions, const std::string& null_odds = "") {
    const NamedTask named = find_task_and_language(task);
    return score_predictions(named.task,
                             {write("predictions", predictions), write("reference", reference),
                              named.language, null_odds.empty() ? "" : write("odds", null_odds)});
  }

  std::string error(const std::string& task, const std::string& reference,
                    const std::string& predictions) {
    try {
      scores(task, reference, predictions);
    } catch (const std::exception& failure) {
      return failure.what();
    }
    return "no error";
  }
};

constexpr const char* kRte =
    "index\tsentence1\tsentence2\tlabel\n"
    "7\ta\tb\tentailment\n8\ta\tb\tnot_entailment\n9\ta\tb\tentailment\n10\ta\tb\tentailment\n";

TEST_F(PredictionScoresTest, LabelsAreMatchedByTheirIndex) {
  const PredictionScores found =
      scores("rte", kRte,
             "index\tprediction\n10\tentailment\n9\tnot_entailment\n8\tnot_entailment\n"
             "7\tentailment\n");
  EXPECT_EQ(found.examples, 4);
  EXPECT_DOUBLE_EQ(found.scores.at("accuracy"), 75.0);
}

TEST_F(PredictionScoresTest, WithoutAnIndexTheOrderCounts) {
  EXPECT_DOUBLE_EQ(
      scores("RTE", kRte, "entailment\nentailment\nentailment\nentailment\n").scores.at("accuracy"),
      75.0);
}

TEST_F(PredictionScoresTest, NumbersAreCorrelated) {
  const std::string reference =
      "index\tsentence1\tsentence2\tscore\n0\ta\tb\t1\n1\ta\tb\t2\n2\ta\tb\t5\n";
  const Scores found = scores("sts-b", reference, "index\tprediction\n0\t1\n1\t2\n2\t3\n").scores;
  EXPECT_NEAR(found.at("pearson"), 96.0769, 1e-3);
  EXPECT_NEAR(found.at("spearman"), 100.0, 1e-9);
}

TEST_F(PredictionScoresTest, MistakesNameTheirPlace) {
  EXPECT_THAT(error("rte", kRte, "index\tprediction\n7\tentailment\n"),
              HasSubstr("1 predictions for 4 labelled examples"));
  EXPECT_THAT(error("rte", kRte, "index\tprediction\n7\tentailment\n7\tentailment\n"),
              HasSubstr("predictions:3: a second prediction for index '7'"));
  EXPECT_THAT(error("rte", kRte, "yes\nno\nno\nno\n"),
              HasSubstr("predictions:1: prediction 'yes', expected one of 'entailment'"));
  EXPECT_THAT(error("rte", kRte, "7\tentailment\n"),
              HasSubstr("predictions:1: expected the header"));
  EXPECT_THAT(error("sts-b", "index\tsentence1\tsentence2\tscore\n0\ta\tb\t1\n",
                    "index\tprediction\n0\tnan\n"),
              HasSubstr("predictions:2: prediction 'nan', expected a number"));
  EXPECT_THAT(error("squad1", R"({"data": []})", "[]"), HasSubstr("questions"));
  EXPECT_THAT(error("mlqa", "", ""), HasSubstr("depends on the language"));
  EXPECT_THAT(error("squad3", "", ""), HasSubstr("no task 'squad3'"));
}

constexpr const char* kQuestions =
    R"({"data": [{"paragraphs": [{"context": "The red cat sees der Hund.", "qas": [
    {"id": "a", "question": "who", "answers": [{"text": "red cat", "answer_start": 4}]},
    {"id": "b", "question": "whom", "answers": [{"text": "Hund", "answer_start": 21}]},
    {"id": "c", "question": "why", "is_impossible": true, "answers": []}]}]}]})";

// Compares with the evaluation scripts of SQuAD 2.0 and MLQA.
TEST_F(PredictionScoresTest, AnswersAreScoredAsTheirTaskDoes) {
  const std::string predictions = R"({"a": "the red dog", "b": "der Hund", "c": "", "z": "x"})";
  const Scores squad2 = scores("SQuAD2", kQuestions, predictions).scores;
  EXPECT_NEAR(squad2.at("exact_match"), 100.0 / 3.0, 1e-9);
  EXPECT_NEAR(squad2.at("f1"), (50.0 + 200.0 / 3.0 + 100.0) / 3.0, 1e-9);
  EXPECT_NEAR(squad2.at("has_answer_f1"), (50.0 + 200.0 / 3.0) / 2.0, 1e-9);
  EXPECT_NEAR(squad2.at("no_answer_exact_match"), 100.0, 1e-9);
  EXPECT_EQ(squad2.count("best_f1"), 0U);
  const Scores best = scores("squad2", kQuestions, R"({"a": "red cat", "b": "Hund", "c": "why"})",
                             R"({"a": -1, "b": -2.5, "c": 3})")
                          .scores;
  EXPECT_NEAR(best.at("f1"), 200.0 / 3.0, 1e-9);
  EXPECT_NEAR(best.at("best_f1"), 100.0, 1e-9);
}

TEST_F(PredictionScoresTest, TheLanguageMayStandInTheTask) {
  const std::string questions =
      R"({"data": [{"paragraphs": [{"context": "Da ist der Hund.", "qas": [
      {"id": "a", "question": "wer", "answers": [{"text": "Hund", "answer_start": 11}]},
      {"id": "b", "question": "was", "answers": [{"text": "Hund", "answer_start": 11}]}]}]}]})";
  const std::string predictions = R"({"a": "der Hund"})";  // "der" counts, except in MLQA
  EXPECT_NEAR(scores("XQuAD-de", questions, predictions).scores.at("exact_match"), 0.0, 1e-9);
  EXPECT_NEAR(scores("mlqa-de", questions, predictions).scores.at("exact_match"), 50.0, 1e-9);
}

constexpr const char* kTagged =
    "de:Das\tO\nde:alte\tB-LOC\nde:Rom\tI-LOC\n\nde:Anna\tB-PER\nde:lacht\tO\n";

TEST_F(PredictionScoresTest, TagsAreScoredAsSeqevalDoes) {
  const PredictionScores plain = scores("panx-de", kTagged, "O\nI-LOC\nI-LOC\n\nB-PER\nI-ORG\n");
  EXPECT_EQ(plain.examples, 5);
  EXPECT_NEAR(plain.scores.at("f1"), 80.0, 1e-9);
  EXPECT_NEAR(plain.scores.at("accuracy"), 60.0, 1e-9);
  const PredictionScores with_words =
      scores("PANX", kTagged, "Das\tO\nalte\tI-LOC\nRom\tI-LOC\n\nAnna\tB-PER\nlacht\tI-ORG\n");
  EXPECT_EQ(with_words.scores, plain.scores);
}

TEST_F(PredictionScoresTest, EachWordNeedsATag) {
  EXPECT_THAT(error("panx", kTagged, "O\nO\nO\n\nO\n"),
              HasSubstr("predictions:5: sentence 2 has 1 tags, the reference 2"));
  EXPECT_THAT(error("panx", kTagged, "O\nO\nO\n"),
              HasSubstr("predictions: 1 sentences, the reference has 2"));
  EXPECT_THAT(error("panx", "Rom\n", "O\n"), HasSubstr("reference:1: no tag"));
  EXPECT_THAT(error("panx", "Rom\tNOUN\n", "O\n"), HasSubstr("reference:1: label 'NOUN'"));
  EXPECT_THAT(error("panx-xx", kTagged, "O\n"), HasSubstr("no task 'panx-xx'"));
}

}  // namespace
}  // namespace dietmt::data
