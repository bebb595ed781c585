#include "data/tasks/submission.h"

#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "tests/common/file_size_limit.h"
#include "tests/common/scratch.h"

namespace dietmt::data {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SubmissionTest : public ScratchTest {
 protected:
  SubmissionTest() : examples_(2) {
    examples_[0].id = "0";
    examples_[1].id = "7";
    questions_[0].id = "q\"1";
    questions_[1].id = "a2";
    predictions_[0].text = "größer\n";
    predictions_[0].nbest = {{"größer\n", 1.5, 2.0, 0.75}, {"", 1.0, 1.4, 0.25}};
    predictions_[0].null_difference = -1.1;
    predictions_[1].null_difference = 3.0;
    require_submission_place(scratch() / "out", TaskKind::kSpan);
  }
  ordered_json written(const std::string& name) const {
    return ordered_json::parse(read_file(scratch() / "out" / name));
  }

  std::vector<Example> examples_;
  std::vector<Question> questions_ = std::vector<Question>(2);
  std::vector<SpanPrediction> predictions_ = std::vector<SpanPrediction>(2);
};

TEST_F(SubmissionTest, LabelsAreWrittenByName) {
  const std::vector<int32_t> labels = {1, 0};
  write_label_submission(scratch() / "RTE.tsv", examples_, labels,
                         {"entailment", "not_entailment"});
  EXPECT_EQ(read_file(scratch() / "RTE.tsv"),
            "index\tprediction\n0\tnot_entailment\n7\tentailment\n");
}

TEST_F(SubmissionTest, TagsHaveALineEachAndAnEmptyOneBetweenSentences) {
  write_tag_submission(scratch() / "test-de.tsv", {{"O", "B-LOC"}, {"O"}});
  EXPECT_EQ(read_file(scratch() / "test-de.tsv"), "O\nB-LOC\n\nO\n");
}

TEST_F(SubmissionTest, ScoresAreClipped) {
  const Target target = {.kind = TaskKind::kRegression, .lowest = 0.0, .highest = 5.0};
  write_score_submission(scratch() / "STS-B.tsv", examples_, std::vector{5.2, 3.14159}, target);
  EXPECT_EQ(read_file(scratch() / "STS-B.tsv"), "index\tprediction\n0\t5.000\n7\t3.142\n");
  write_score_submission(scratch() / "STS-B.tsv", examples_, std::vector{-0.1, 4.9996}, target);
  EXPECT_EQ(read_file(scratch() / "STS-B.tsv"), "index\tprediction\n0\t0.000\n7\t5.000\n");
}

TEST_F(SubmissionTest, ScoresOfASmallRangeHaveMoreDecimals) {
  const Target target = {.kind = TaskKind::kRegression, .lowest = 0.0, .highest = 0.01};
  write_score_submission(scratch() / "own.tsv", examples_, std::vector{0.00314159, 0.02}, target);
  EXPECT_EQ(read_file(scratch() / "own.tsv"), "index\tprediction\n0\t0.00314\n7\t0.01000\n");
}

TEST_F(SubmissionTest, AnswersAreWrittenById) {
  write_span_submission(scratch() / "out", questions_, predictions_, true);
  EXPECT_EQ(written("predictions.json"), (ordered_json{{"q\"1", "größer\n"}, {"a2", ""}}));
  EXPECT_EQ(written("null_odds.json"), (ordered_json{{"q\"1", -1.1}, {"a2", 3.0}}));
  const ordered_json nbest = written("nbest_predictions.json");
  const ordered_json first = {
      {"text", "größer\n"}, {"probability", 0.75}, {"start_logit", 1.5}, {"end_logit", 2.0}};
  EXPECT_EQ(nbest.at("q\"1").at(0), first);
  EXPECT_EQ(nbest.at("q\"1").size(), 2U);
  EXPECT_EQ(nbest.at("a2"), ordered_json::array());
}

TEST_F(SubmissionTest, NullOddsAreWrittenWhereTheyMeanSomething) {
  write_span_submission(scratch() / "out", questions_, predictions_, false);
  EXPECT_FALSE(std::filesystem::exists(scratch() / "out" / "null_odds.json"));
  EXPECT_TRUE(std::filesystem::exists(scratch() / "out" / "nbest_predictions.json"));
}

TEST_F(SubmissionTest, WhatDoesNotFitIsAnErrorAndWritesNothing) {
  const auto file = scratch() / "RTE.tsv";
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_THAT([&] { write_label_submission(file, examples_, std::vector<int32_t>{0}, names); },
              ThrowsMessage<Error>(AllOf(HasSubstr("RTE.tsv: 1 predictions for 2 examples"))));
  EXPECT_THAT(
      [&] {
        write_label_submission(file, examples_, std::vector<int32_t>{0, 2}, names);
      },
      ThrowsMessage<Error>(HasSubstr("example 7 has label 2 of 2")));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(
      [&] {
        write_score_submission(file, examples_, std::vector{1.0, nan}, {});
      },
      ThrowsMessage<Error>(HasSubstr("example 7 is not a number")));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(SubmissionTest, APlaceThatCannotBeWrittenIsAnError) {
  const std::string file = write("file", "");
  EXPECT_NO_THROW(require_submission_place(file, TaskKind::kClassification));
  EXPECT_EQ(read_file(file), "");
  EXPECT_THROW(require_submission_place(file, TaskKind::kSpan), Error);
  EXPECT_THROW(require_submission_place(scratch() / "none/x", TaskKind::kRegression), Error);
  EXPECT_FALSE(std::filesystem::exists(scratch() / "none"));
}

TEST_F(SubmissionTest, IdsThatWouldBreakTheTableAreAnError) {
  examples_[1].id = "a\tb";
  EXPECT_THAT(
      [&] {
        write_label_submission(scratch() / "x.tsv", examples_, std::vector<int32_t>{0, 0}, {"a"});
      },
      ThrowsMessage<DataError>(
          HasSubstr("\"a\\tb\" has a tab or a line break, which would split a row")));
}

TEST_F(SubmissionTest, AFullDiskKeepsTheOldFile) {
  const std::string old = "index\tprediction\n0\told\n";
  const std::string file = write("RTE.tsv", old);
  {
    const FileSizeLimit limit(8);
    EXPECT_THAT(
        [&] {
          write_label_submission(file, examples_, std::vector<int32_t>{0, 0}, {"a"});
        },
        ThrowsMessage<Error>(HasSubstr("RTE.tsv")));
  }
  EXPECT_EQ(read_file(file), old);
}

}  // namespace
}  // namespace dietmt::data
