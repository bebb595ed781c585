#include "reporting/task_results.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "common/files.h"
#include "tests/common/test_directory.h"

namespace dietmt::reporting {
namespace {

using ::testing::HasSubstr;

void write_results(const std::filesystem::path& directory, const std::string& text) {
  std::filesystem::create_directories(directory);
  write_text(directory / "results.json", text);
}

std::string results_of(const std::string& metric, const std::string& scores) {
  return R"({"metric": ")" + metric + R"(", "best_learning_rate": 3e-5, "rates": [
    {"learning_rate": 2e-5, "scores": {"accuracy": 1}, "runs": []},
    {"learning_rate": 3e-5, "scores": {)" +
         scores + R"(}, "runs": [{"scores": {)" + scores + R"(}}, {"scores": {)" + scores +
         "}}]}]}";
}

TEST(TaskResults, AreThoseOfTheBestRateInAllDirectoriesBelow) {
  const TestDirectory directory;
  write_results(directory / "tasks/RTE", results_of("accuracy", R"("accuracy": 61.5,
    "valid_loss": 0.5)"));
  write_results(directory / "tasks/XNLI", results_of("accuracy", R"("accuracy": 70,
    "accuracy_de": 60, "accuracy_mean": 65)"));
  const std::vector<TaskScores> scores = read_task_scores(directory.path());
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores[0].task, "RTE");
  EXPECT_EQ(scores[0].metric, "accuracy");
  EXPECT_EQ(scores[0].values, (std::vector<double>{61.5, 61.5}));
  EXPECT_EQ(scores[1].task, "XNLI");
  EXPECT_EQ(scores[1].metric, "accuracy_mean");
}

TEST(TaskResults, OfOneTaskHaveItsName) {
  const TestDirectory directory;
  std::string text = results_of("accuracy", R"("accuracy": 61.5)");
  text.insert(1, R"("task": "CoLA", )");
  write_results(directory.path(), text);
  EXPECT_EQ(read_task_scores(directory.path()).at(0).task, "CoLA");
}

TEST(TaskResults, NameTheFileAtFault) {
  const TestDirectory directory;
  for (const char* text : {"[]", "{}", R"({"best_learning_rate": 1, "rates": []})",
                           R"({"best_learning_rate": 1, "rates": [7]})"}) {
    write_results(directory / "RTE", text);
    EXPECT_THAT(message_of<CheckpointError>([&] { read_task_scores(directory.path()); }),
                HasSubstr("RTE/results.json"))
        << text;
  }
}

}  // namespace
}  // namespace dietmt::reporting
