#include "data/tasks/task_table.h"

#include <gmock/gmock.h>

#include <set>

#include "common/error.h"

namespace dietmt::data {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::ThrowsMessage;

TEST(TaskTable, NamesAreUniqueAndFoundInAnyCase) {
  std::set<std::string> names;
  for (const Task& task : tasks()) {
    EXPECT_TRUE(names.insert(task.name).second) << task.name;
    EXPECT_EQ(&find_task(task.name), &task);
  }
  EXPECT_EQ(names.size(), 18U);
  EXPECT_EQ(find_task("sst-2").name, "SST-2");
  EXPECT_EQ(find_task("tydiqa-goldp").name, "TyDiQA-GoldP");
}

TEST(TaskTable, AnUnknownTaskListsThoseThereAre) {
  EXPECT_THAT([] { find_task("CoLB"); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("'CoLB'"), HasSubstr("CoLA, SST-2"))));
  EXPECT_THAT([] { find_task("MNLI").split("valid"); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("MNLI"), HasSubstr("'valid'"), HasSubstr("dev_mismatched"))));
}

TEST(TaskTable, EveryTaskCanBeTrainedAndEvaluated) {
  for (const Task& task : tasks()) {
    SCOPED_TRACE(task.name);
    EXPECT_FALSE(task.metrics.empty());
    if (task.name == "MNLI")
      EXPECT_THAT(task.wang_metrics, ElementsAre("accuracy_mismatched"));
    else
      EXPECT_THAT(task.wang_metrics, IsSubsetOf(task.metrics));
    EXPECT_TRUE(task.split("train").labelled);
    EXPECT_GE(task.splits.size(), 2U);
    const TaskKind kind = task.target.kind;
    EXPECT_EQ(task.layouts.empty(), kind == TaskKind::kSpan || kind == TaskKind::kTags);
    EXPECT_EQ(task.target.labels.empty(), kind == TaskKind::kSpan || kind == TaskKind::kRegression);
    for (const TableLayout& layout : task.layouts) {
      if (!layout.label_texts.empty()) {
        EXPECT_EQ(layout.label_texts.size(), task.target.labels.size());
      }
    }
  }
}

TEST(TaskTable, AllButTheLargestTasksTrainForTenEpochs) {
  std::set<std::string> ten;
  for (const Task& task : tasks()) {
    if (task.epochs == 10) ten.insert(task.name);
    if (task.epochs != 10) {
      EXPECT_EQ(task.epochs, task.target.kind == TaskKind::kSpan ? 3 : 5) << task.name;
    }
  }
  EXPECT_THAT(ten, ElementsAre("CoLA", "MRPC", "PANX", "RTE", "SST-2", "STS-B", "UD-POS"));
}

TEST(TaskTable, SubmissionsHaveTheBenchmarksNames) {
  EXPECT_EQ(find_task("MNLI").split("test").submission, "MNLI-m.tsv");
  EXPECT_EQ(find_task("MNLI").split("test_mismatched").submission, "MNLI-mm.tsv");
  EXPECT_EQ(find_task("STS-B").split("test").submission, "STS-B.tsv");
  EXPECT_EQ(find_task("SQuAD2.0").split("dev").submission, "predictions.json");
}

TEST(TaskTable, HelpHasALineForEachTask) {
  const std::string help = task_help();
  EXPECT_EQ(std::ranges::count(help, '\n'), std::ssize(tasks()));
  for (const Task& task : tasks()) EXPECT_THAT(help, HasSubstr("  " + task.name + " "));
  EXPECT_THAT(help, HasSubstr("(pearson, spearman; 10 epochs)"));
}

TEST(TaskTable, TheLanguageIsPutIntoFileNames) {
  EXPECT_EQ(with_language(find_task("MLQA").split("test").file, "vi"),
            "test-context-vi-question-vi.json");
  EXPECT_EQ(with_language("plain", "vi"), "plain");
  EXPECT_THAT(find_task("XNLI").languages, Contains("sw"));
  EXPECT_EQ(find_task_and_language("panx-de").task.name, "PANX");
  EXPECT_EQ(find_task_and_language("ud-pos-zh").language, "zh");
}

}  // namespace
}  // namespace dietmt::data
