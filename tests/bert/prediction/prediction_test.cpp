#include "bert/prediction/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bert/model/model_directory.h"
#include "common/error.h"
#include "common/files.h"
#include "common/text_io.h"
#include "tests/bert/finetuning/toy_task.h"

namespace dietmt::bert {
namespace {

namespace fs = std::filesystem;
using data::TaskKind;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;

// Models with random weights: predictions are not right, but must be the model's.
class PredictionTest : public ToyTaskTest {
 protected:
  FinetunedModel stored(const TaskDescription& description) const {
    const auto model = this->model(description);
    training::NamedTensors weights;
    for (const auto& item : model->named_parameters())
      weights.emplace_back(item.key(), item.value());
    const fs::path directory = scratch() / "model";
    fs::create_directories(directory);
    write_bert(directory, model->config(), weights, &tokenizer());
    write_task(directory, description);
    return load_finetuned(directory, at::kCPU);
  }

  static TaskDescription described(TaskKind kind, std::vector<std::string> metrics) {
    TaskDescription description;
    description.task = own_task(kind, std::move(metrics));
    description.task.layouts = {{.first = "sentence", .label = "label", .id = "id"}};
    description.max_length = 16;
    return description;
  }
};

TEST_F(PredictionTest, ClassesAreListedByIdWithTheirNames) {
  TaskDescription description = described(TaskKind::kClassification, {"accuracy"});
  description.task.target.labels = {"no", "yes", "maybe"};
  const FinetunedModel finetuned = stored(description);
  const std::string rows[] = {"red cat", "dog tree house big", "blue"};
  std::string table = "id\tsentence\n", labelled = "id\tsentence\tlabel\n";
  std::vector<data::Example> examples;
  for (const std::string& row : rows) examples.push_back({.first = row});
  const std::vector<int32_t> expected = predicted_labels(all_class_scores(
      *finetuned.model, encode_examples(examples, tokenizer(), description.inputs()), {}));
  const auto name = [&](size_t i) {
    return description.task.target.labels[static_cast<size_t>(expected[i])];
  };
  for (size_t i = 0; i < 3; ++i) {
    table += "e" + std::to_string(i) + "\t" + rows[i] + "\n";
    labelled += std::to_string(i) + "\t" + rows[i] + "\t" + (i == 2 ? "no" : name(i)) + "\n";
  }
  EXPECT_FALSE(predict(finetuned, {write("test.tsv", table), scratch() / "out.tsv"}, {}));
  EXPECT_THAT(
      read_lines((scratch() / "out.tsv").string()),
      ElementsAre("index\tprediction", "e0\t" + name(0), "e1\t" + name(1), "e2\t" + name(2)));
  const auto scores = predict(finetuned, {write("dev.tsv", labelled), scratch() / "dev.out"}, {});
  ASSERT_TRUE(scores);
  EXPECT_NEAR(scores->at("accuracy"), name(2) == "no" ? 100.0 : 200.0 / 3.0, 1e-9);
}

// Each row of a test set gets a prediction, even if the task does not have its label.
TEST_F(PredictionTest, StrangeLabelsCostOnlyTheMetrics) {
  TaskDescription description = described(TaskKind::kClassification, {"accuracy"});
  description.task.target.labels = {"no", "yes"};
  const FinetunedModel finetuned = stored(description);
  const std::string input = write("test.tsv", "sentence\tlabel\ncat\t-1\ndog\t-1\n");
  EXPECT_FALSE(predict(finetuned, {input, scratch() / "out.tsv"}, {}));
  EXPECT_EQ(read_lines((scratch() / "out.tsv").string()).size(), 3U);
}

TEST_F(PredictionTest, NumbersStayInTheirRange) {
  TaskDescription description = described(TaskKind::kRegression, {"pearson"});
  description.task.target.lowest = 2.0;
  description.task.target.highest = 4.0;
  const FinetunedModel finetuned = stored(description);
  const std::string input = write("test.tsv", "sentence\tlabel\ncat dog\t2.5\nred house\t4\n");
  EXPECT_TRUE(predict(finetuned, {input, scratch() / "out.tsv"}, {}));
  EXPECT_THAT(read_lines((scratch() / "out.tsv").string()),
              ElementsAre("index\tprediction", MatchesRegex("0\t[2-4]\\.[0-9][0-9][0-9]"),
                          MatchesRegex("1\t[2-4]\\.[0-9][0-9][0-9]")));
}

TEST_F(PredictionTest, AnswersAreWrittenAsTheEvaluationProgramsReadThem) {
  TaskDescription description = described(TaskKind::kSpan, {"f1", "exact_match"});
  description.task.has_unanswerable = description.prediction.has_unanswerable = true;
  description.windows = {16, 4, 4};
  const FinetunedModel finetuned = stored(description);
  const std::string input = write("dev.json", R"({"data": [{"title": "t", "paragraphs": [{
    "context": "red cat likes blue dog and tree house big dog sees red cat",
    "qas": [{"id": "q1", "question": "where dog", "is_impossible": false,
             "answers": [{"text": "blue dog", "answer_start": 14}]},
            {"id": "q2", "question": "where house", "is_impossible": true, "answers": []}]}]}]})");
  const auto scores = predict(finetuned, {input, scratch() / "out"}, {});
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->count("best_f1"), 1U);
  for (const char* file : {"predictions.json", "nbest_predictions.json", "null_odds.json"}) {
    const auto json = nlohmann::json::parse(read_file(scratch() / "out" / file));
    EXPECT_TRUE(json.contains("q1") && json.contains("q2")) << file;
    EXPECT_EQ(json.size(), 2U) << file;
  }
  const std::string unlabelled = write("test.json", R"({"data": [{"title": "t", "paragraphs": [{
    "context": "red cat", "qas": [{"id": "q1", "question": "where dog"}]}]}]})");
  EXPECT_FALSE(predict(finetuned, {unlabelled, scratch() / "out2"}, {}));
}

TEST_F(PredictionTest, TagsAreThoseOfTheModelForEachWord) {
  TaskDescription description = described(TaskKind::kTags, {"f1", "accuracy"});
  description.task.target.labels = {"O", "B-X", "I-X"};
  description.task.layouts.clear();
  description.max_length = 8;  // the second sentence has several windows
  const FinetunedModel finetuned = stored(description);
  std::string words, tagged;
  for (const char* word :
       {"red", "cat", "", "dog", "sees", "big", "tree", "blue", "house", "dog"}) {
    words += std::string(word) + "\n";
    tagged += std::string(word) + (*word == 0 ? "\n" : "\tO\n");
  }
  EXPECT_FALSE(predict(finetuned, {write("words.tsv", words), scratch() / "plain.tsv"}, {}));
  const auto scores =
      predict(finetuned, {write("tagged.tsv", tagged), scratch() / "tagged_out.tsv"}, {});
  ASSERT_TRUE(scores);
  const std::string written = read_file(scratch() / "plain.tsv");
  EXPECT_EQ(read_file(scratch() / "tagged_out.tsv"), written);
  int64_t outside = 0;
  std::istringstream lines(written);
  for (std::string line; std::getline(lines, line);) outside += line == "O" ? 1 : 0;
  EXPECT_NEAR(scores->at("accuracy"), 100.0 * static_cast<double>(outside) / 9.0, 1e-9);
  EXPECT_EQ(std::ranges::count(written, '\n'), 10);
}

TEST_F(PredictionTest, ScoresByLanguageNeedItBeforeAnyPrediction) {
  TaskDescription description = described(TaskKind::kSpan, {"f1", "exact_match"});
  description.task = data::find_task("MLQA");
  description.windows = {16, 4, 4};
  const FinetunedModel finetuned = stored(description);
  const std::string input = write("dev.json", R"({"data": [{"title": "t", "paragraphs": [{
    "context": "red cat", "qas": [{"id": "q1", "question": "where",
                                   "answers": [{"text": "cat", "answer_start": 4}]}]}]}]})");
  for (const char* language : {"", "german"}) {
    EXPECT_THROW(predict(finetuned, {input, scratch() / "out", language}, {}), ConfigError);
    EXPECT_FALSE(fs::exists(scratch() / "out"));
  }
  EXPECT_TRUE(predict(finetuned, {input, scratch() / "out", "de"}, {}));
}

TEST_F(PredictionTest, AModelWithoutATaskIsRefused) {
  TaskDescription description = described(TaskKind::kRegression, {"pearson"});
  stored(description);
  fs::remove(scratch() / "model/task.json");
  EXPECT_THROW(load_finetuned(scratch() / "model", at::kCPU), CheckpointError);
}

}  // namespace
}  // namespace dietmt::bert
