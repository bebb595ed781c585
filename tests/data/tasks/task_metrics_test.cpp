#include "data/tasks/task_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace dietmt::data {
namespace {

using ::testing::ElementsAre;

Task own_task(TaskKind kind, std::vector<std::string> metrics) {
  Task task;
  task.target.kind = kind;
  task.metrics = std::move(metrics);
  return task;
}

TEST(ClassMetrics, AreThoseThatTheTaskNamesInPercent) {
  const std::vector<int32_t> predicted = {1, 1, 0, 0};
  const std::vector<int32_t> gold = {1, 0, 0, 0};
  const Scores all = class_metrics(
      own_task(TaskKind::kClassification, {"accuracy", "f1", "matthews"}), predicted, gold);
  EXPECT_EQ(all.size(), 3U);
  EXPECT_NEAR(all.at("accuracy"), 75.0, 1e-9);
  EXPECT_NEAR(all.at("f1"), 200.0 / 3.0, 1e-9);
  EXPECT_NEAR(all.at("matthews"), 57.735027, 1e-5);
  EXPECT_EQ(class_metrics(find_task("CoLA"), predicted, gold).count("accuracy"), 0U);
}

TEST(ClassMetrics, OfThreeClassesHaveOnlyTheMeanF1) {
  Task task = own_task(TaskKind::kClassification, {"f1"});
  EXPECT_NO_THROW(check_metrics(task));
  task.target.labels = {"a", "b", "c"};
  try {
    check_metrics(task);
    FAIL() << "f1 of three classes was accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "--metrics has 'f1', which does not fit 3 classes; possible: accuracy, macro_f1, "
                 "matthews");
  }
  task.metrics = {"macro_f1"};
  EXPECT_NO_THROW(check_metrics(task));
  // scikit-learn: f1_score([0, 0, 1, 2], [0, 1, 1, 1], average="macro")
  const Scores scores =
      class_metrics(task, std::vector<int32_t>{0, 1, 1, 1}, std::vector<int32_t>{0, 0, 1, 2});
  EXPECT_NEAR(scores.at("macro_f1"), 100.0 * (2.0 / 3.0 + 0.5 + 0.0) / 3.0, 1e-9);
}

TEST(ValueMetrics, AreThoseThatTheTaskNamesInPercent) {
  const std::vector<double> predicted = {1, 2, 3};
  const std::vector<double> gold = {1, 2, 9};
  const Scores all = value_metrics(find_task("STS-B"), predicted, gold);
  EXPECT_NEAR(all.at("pearson"), 91.7663, 1e-3);
  EXPECT_NEAR(all.at("spearman"), 100.0, 1e-9);
  const std::vector<double> constant = {2, 2, 2};
  EXPECT_EQ(value_metrics(find_task("STS-B"), constant, gold).at("pearson"), 0.0);
  const std::vector<double> rounded = {2.0, 2.0 + 2e-7, 2.0 + 4e-7};
  for (const auto& [metric, value] : value_metrics(find_task("STS-B"), rounded, gold))
    EXPECT_EQ(value, 0.0) << metric;
}

Question question(const std::string& id, const std::string& answer) {
  Question question{id, "where", 0, {}, answer.empty()};
  if (!answer.empty()) question.answers = {{answer, -1, -1}};
  return question;
}

SpanPrediction predicted(const std::string& text) { return {text, {{text, 1, 1, 1}}, 0.0}; }

TEST(AnswerMetrics, AreThoseOfTheTasksLanguage) {
  const std::vector<Question> questions = {question("a", "Hund"), question("b", "red cat")};
  const std::vector<SpanPrediction> answers = {predicted("der Hund"), predicted("the red dog")};
  const Scores english = answer_metrics(find_task("XQuAD"), "de", questions, answers);
  EXPECT_NEAR(english.at("f1"), (200.0 / 3.0 + 50.0) / 2.0, 1e-9);
  EXPECT_NEAR(english.at("exact_match"), 0.0, 1e-9);
  const Scores german = answer_metrics(find_task("MLQA"), "de", questions, answers);
  EXPECT_NEAR(german.at("f1"), (100.0 + 40.0) / 2.0, 1e-9);  // "the" is a word there
  EXPECT_NEAR(german.at("exact_match"), 50.0, 1e-9);
}

TEST(AnswerMetrics, SayWhatTheBestThresholdWouldReach) {
  const std::vector<Question> questions = {question("a", "red cat"), question("b", "")};
  const std::vector<SpanPrediction> answers = {
      {"", {{"", 2, 2, 0.6}, {"red cat", 1.5, 2, 0.4}}, 0.5}, {"", {{"", 3, 3, 1}}, 3.0}};
  const Scores scores = answer_metrics(find_task("SQuAD2.0"), "", questions, answers);
  EXPECT_NEAR(scores.at("f1"), 50.0, 1e-9);
  EXPECT_NEAR(scores.at("exact_match"), 50.0, 1e-9);
  EXPECT_NEAR(scores.at("best_f1"), 100.0, 1e-9);
  EXPECT_NEAR(scores.at("best_exact_match"), 100.0, 1e-9);
}

TEST(JoinedScores, AreNamedAfterTheirSets) {
  const Scores mnli =
      joined(find_task("MNLI"), {{"", {{"accuracy", 80.0}}}, {"mismatched", {{"accuracy", 82.0}}}});
  EXPECT_EQ(mnli, (Scores{{"accuracy", 80.0}, {"accuracy_mismatched", 82.0}}));
  const Scores xnli =
      joined(find_task("XNLI"), {{"", {{"accuracy", 80.0}}}, {"de", {{"accuracy", 70.0}}}});
  EXPECT_EQ(xnli, (Scores{{"accuracy", 80.0}, {"accuracy_de", 70.0}, {"accuracy_mean", 75.0}}));
  EXPECT_THAT(joined_names(find_task("XNLI"), {"", "de"}),
              ElementsAre("accuracy", "accuracy_de", "accuracy_mean"));
  EXPECT_THAT(joined_names(find_task("SQuAD2.0"), {""}),
              ElementsAre("f1", "exact_match", "best_f1", "best_exact_match"));
}

TEST(CheckMetrics, RefusesThoseOfAnotherKind) {
  for (const Task& task : tasks()) EXPECT_NO_THROW(check_metrics(task)) << task.name;
  EXPECT_THROW(check_metrics(own_task(TaskKind::kClassification, {"pearson"})), ConfigError);
  EXPECT_THROW(check_metrics(own_task(TaskKind::kSpan, {"best_f1"})), ConfigError);
  EXPECT_NO_THROW(check_metrics(find_task("SQuAD2.0")));
  Task answers = own_task(TaskKind::kSpan, {"best_f1"});
  answers.has_unanswerable = true;
  EXPECT_NO_THROW(check_metrics(answers));
  EXPECT_THROW(check_metrics(own_task(TaskKind::kRegression, {"f1"})), ConfigError);
}

}  // namespace
}  // namespace dietmt::data
