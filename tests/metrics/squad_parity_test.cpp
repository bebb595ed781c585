// Scores of published predictions for SQuAD's development sets equal the stored ones to the last
// printed digit.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/text_io.h"
#include "metrics/squad.h"
#include "metrics/squad2.h"
#include "tests/metrics/score_table.h"
#include "tests/metrics/shared_data.h"

namespace dietmt::metrics {
namespace {

using Json = nlohmann::json;

Json read_json(const std::filesystem::path& path) {
  std::string text;
  for (const std::string& line : read_lines(path.string())) text += line + '\n';
  return Json::parse(text);
}

std::vector<QuestionAnswers> read_questions(const std::filesystem::path& path) {
  std::vector<QuestionAnswers> questions;
  const Json file = read_json(path);
  for (const Json& article : file.at("data")) {
    for (const Json& paragraph : article.at("paragraphs")) {
      for (const Json& question : paragraph.at("qas")) {
        QuestionAnswers one{question.at("id"), {}};
        for (const Json& answer : question.at("answers")) one.answers.push_back(answer.at("text"));
        questions.push_back(std::move(one));
      }
    }
  }
  return questions;
}

void expect_equal(const Row& row, const std::string& column, double value) {
  EXPECT_EQ(printed_like(value, row.at(column)), row.at(column)) << row.at("file") << " " << column;
}

void expect_counts(const Row& row, const SpanScores& scores) {
  EXPECT_EQ(std::to_string(scores.questions), row.at("questions")) << row.at("file");
  EXPECT_EQ(std::to_string(scores.questions - scores.missing), row.at("predicted"))
      << row.at("file");
}

class SquadParity : public testing::Test {
 protected:
  explicit SquadParity(std::string version) : version_(std::move(version)) {}

  void SetUp() override {
    const std::filesystem::path folder = data_folder() / "squad";
    const std::filesystem::path table = folder / "predictions" / "scores.tsv";
    const std::filesystem::path dev = folder / ("dev-v" + version_ + ".recovered.json.gz");
    DIETMT_REQUIRE_FILE(table);
    DIETMT_REQUIRE_FILE(dev);
    questions_ = read_questions(dev);
    for (const Row& row : read_table(table)) {
      if (row.at("version") != version_) continue;
      const std::filesystem::path path = folder / "predictions" / (row.at("file") + ".gz");
      DIETMT_REQUIRE_FILE(path);
      systems_.emplace_back(row, read_json(path));
    }
    ASSERT_FALSE(systems_.empty());
  }

  std::string version_;
  std::vector<QuestionAnswers> questions_;
  std::vector<std::pair<Row, Predictions>> systems_;
};

class Squad1Parity : public SquadParity {
 protected:
  Squad1Parity() : SquadParity("1.1") {}
};

TEST_F(Squad1Parity, PublishedPredictions) {
  for (const auto& [row, predictions] : systems_) {
    const SpanScores scores = span_scores(questions_, predictions);
    expect_counts(row, scores);
    expect_equal(row, "exact", scores.exact);
    expect_equal(row, "f1", scores.f1);
  }
}

class Squad2Parity : public SquadParity {
 protected:
  Squad2Parity() : SquadParity("2.0") {}
};

TEST_F(Squad2Parity, PublishedPredictions) {
  for (const auto& [row, predictions] : systems_) {
    const Squad2Scores scores = squad2_scores(questions_, predictions);
    expect_counts(row, scores.all);
    expect_equal(row, "exact", scores.all.exact);
    expect_equal(row, "f1", scores.all.f1);
    expect_equal(row, "hasans_exact", scores.has_answer.exact);
    expect_equal(row, "hasans_f1", scores.has_answer.f1);
    expect_equal(row, "noans_exact", scores.no_answer.exact);
  }
}

}  // namespace
}  // namespace dietmt::metrics
