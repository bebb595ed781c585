// The readers on the benchmarks' own files.
#include <gmock/gmock.h>

#include <cctype>
#include <map>
#include <sstream>

#include "common/text_io.h"
#include "data/tasks/task_reader.h"
#include "data/tasks/task_table.h"
#include "tests/data/tasks/shared_data.h"

namespace dietmt::data {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

struct SharedFile {
  std::string task;
  std::string file;
  size_t header_lines;
  int label_column;  // from 1
  std::string language;
};

class SharedTableTest : public ::testing::TestWithParam<SharedFile> {};

// How often each text occurs in a column, counted without the reader.
std::map<std::string, int64_t> texts_of_column(const std::vector<std::string>& lines,
                                               size_t header_lines, int column) {
  std::map<std::string, int64_t> counts;
  for (size_t i = header_lines; i < lines.size(); ++i) {
    std::istringstream fields(lines[i]);
    std::string field;
    for (int k = 0; k < column; ++k) std::getline(fields, field, '\t');
    if (field.ends_with('\r')) field.pop_back();
    ++counts[field];
  }
  return counts;
}

TEST_P(SharedTableTest, GivesEveryRowAndItsLabel) {
  const SharedFile& shared = GetParam();
  const fs::path path = shared_data() / shared.file;
  DIETMT_REQUIRE_SHARED(path);
  const Task& task = find_task(shared.task);
  const TaskData data =
      read_examples(path.string(), task.layouts, task.target, {.language = shared.language});
  const std::vector<std::string> lines = read_lines(path.string());
  EXPECT_EQ(data.examples.size() + static_cast<size_t>(data.unlabelled.rows),
            lines.size() - shared.header_lines);
  EXPECT_EQ(data.malformed.rows, 0);
  EXPECT_EQ(data.not_utf8.rows, 0);
  auto counts = texts_of_column(lines, shared.header_lines, shared.label_column);
  if (task.target.kind == TaskKind::kRegression) {
    double sum = 0.0, expected = 0.0;
    for (const Example& example : data.examples) sum += example.score;
    for (const auto& [text, count] : counts) expected += std::stod(text) * count;
    EXPECT_NEAR(sum, expected, 1e-6);
    return;
  }
  const std::vector<int64_t> labels = data.label_counts();
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string& label = task.target.labels[i];
    EXPECT_EQ(labels[i], counts[label] + counts[label + ".0"]) << label;
    EXPECT_GT(labels[i], 0) << label;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, SharedTableTest,
    ::testing::Values(SharedFile{"CoLA", "glue/CoLA/in_domain_train.tsv.gz", 0, 2, ""},
                      SharedFile{"CoLA", "glue/CoLA/in_domain_dev.tsv.gz", 0, 2, ""},
                      SharedFile{"CoLA", "glue/CoLA/out_of_domain_dev.tsv.gz", 0, 2, ""},
                      SharedFile{"MRPC", "glue/MRPC/msr_paraphrase_train.txt.gz", 1, 1, ""},
                      SharedFile{"MRPC", "glue/MRPC/msr_paraphrase_test.txt.gz", 1, 1, ""},
                      SharedFile{"QNLI", "glue/QNLI/dev.tsv.gz", 1, 4, ""},
                      SharedFile{"QQP", "glue/QQP/quora-dev.csv.gz", 1, 5, ""},
                      SharedFile{"RTE", "glue/RTE/train.tsv.gz", 1, 4, ""},
                      SharedFile{"RTE", "glue/RTE/dev.tsv.gz", 1, 4, ""},
                      SharedFile{"SST-2", "glue/SST-2/train.tsv.gz", 1, 2, ""},
                      SharedFile{"SST-2", "glue/SST-2/dev.tsv.gz", 1, 2, ""},
                      SharedFile{"SST-2", "glue/SST-2/test.tsv.gz", 1, 2, ""},
                      SharedFile{"STS-B", "glue/STS-B/sts-train.csv.gz", 0, 5, ""},
                      SharedFile{"STS-B", "glue/STS-B/sts-dev.csv.gz", 0, 5, ""},
                      SharedFile{"STS-B", "glue/STS-B/sts-test.csv.gz", 0, 5, ""},
                      SharedFile{"WNLI", "glue/WNLI/train.tsv.gz", 1, 4, ""},
                      SharedFile{"WNLI", "glue/WNLI/dev.tsv.gz", 1, 4, ""},
                      SharedFile{"WNLI", "glue/WNLI/test.tsv.gz", 1, 4, ""},
                      SharedFile{"XNLI", "xtreme/xnli/sw.genre.dev.tsv.gz", 1, 2, "sw"},
                      SharedFile{"XNLI", "xtreme/xnli/ur.genre.test.tsv.gz", 1, 2, "ur"},
                      SharedFile{"XNLI", "xtreme/xnli/my.genre.test.tsv.gz", 1, 2, "my"},
                      SharedFile{"XNLI", "xtreme/xnli/my.genre.test.tsv.gz", 1, 2, "en"}),
    [](const auto& file) {
      std::string name = file.param.file + file.param.language;
      std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
      return name;
    });

TaskData read_shared(const std::string& task_name, const fs::path& path,
                     const ReadOptions& options = {}) {
  const Task& task = find_task(task_name);
  return read_examples(path.string(), task.layouts, task.target, options);
}

// From the releases' descriptions, or counted with other programs.
TEST(SharedTasks, LabelsAreThoseOfTheReleases) {
  const fs::path glue = shared_data() / "glue";
  DIETMT_REQUIRE_SHARED(glue);
  EXPECT_THAT(read_shared("CoLA", glue / "CoLA/in_domain_train.tsv.gz").label_counts(),
              ElementsAre(2528, 6023));
  EXPECT_THAT(read_shared("MRPC", glue / "MRPC/msr_paraphrase_test.txt.gz").label_counts(),
              ElementsAre(578, 1147));
  const TaskData qqp = read_shared("QQP", glue / "QQP/quora-dev.csv.gz");
  EXPECT_THAT(qqp.label_counts(), ElementsAre(12627, 7585));
  EXPECT_EQ(qqp.unlabelled.rows, 2);
  EXPECT_THAT(read_shared("RTE", glue / "RTE/train.tsv.gz").label_counts(),
              ElementsAre(1249, 1241));
}

TEST(SharedTasks, TestSetsWithoutLabelsAreRead) {
  const fs::path glue = shared_data() / "glue";
  DIETMT_REQUIRE_SHARED(glue);
  const ReadOptions options = {.labels = LabelUse::kIfPresent};
  const TaskData rte = read_shared("RTE", glue / "RTE/test.tsv.gz", options);
  EXPECT_EQ(rte.examples.size(), 3000U);
  EXPECT_FALSE(rte.labelled);
  EXPECT_EQ(rte.examples.back().id, "2999");
  EXPECT_EQ(read_shared("QNLI", glue / "QNLI/test.tsv.gz", options).examples.size(), 5463U);
}

TEST(SharedTasks, LanguagesOfOneFileAreToldByTheHeader) {
  const fs::path path = shared_data() / "xtreme/xnli/my.genre.dev.tsv.gz";
  DIETMT_REQUIRE_SHARED(path);
  const TaskData english = read_shared("XNLI", path, {.language = "en"});
  const TaskData burmese = read_shared("XNLI", path, {.language = "my"});
  EXPECT_EQ(english.examples[0].first, "And he said, Mama, I'm home.");
  EXPECT_TRUE(burmese.examples[0].first.starts_with("\xE1\x80\x91"));
  EXPECT_THAT(english.label_counts(), ElementsAre(830, 830, 830));
}

TEST(SharedTasks, SickIsReadByItsColumns) {
  const fs::path folder = shared_data() / "nli-sick";
  DIETMT_REQUIRE_SHARED(folder);
  const TableLayout entailment = {.first = "sentence_A",
                                  .second = "sentence_B",
                                  .label = "entailment_judgment",
                                  .id = "pair_ID"};
  const TaskData train =
      read_examples((folder / "SICK_train.txt.gz").string(), {entailment}, {}, {});
  EXPECT_THAT(train.labels, ElementsAre("CONTRADICTION", "ENTAILMENT", "NEUTRAL"));
  EXPECT_THAT(train.label_counts(), ElementsAre(665, 1299, 2536));

  TableLayout relatedness = entailment;
  relatedness.label = "relatedness_score";
  const Target scores = {.kind = TaskKind::kRegression, .lowest = 1.0, .highest = 5.0};
  const TaskData test =
      read_examples((folder / "SICK_test_annotated.txt.gz").string(), {relatedness}, scores, {});
  ASSERT_EQ(test.examples.size(), 4927U);
  EXPECT_EQ(test.examples[0].score, 3.3);
  EXPECT_EQ(test.examples.back().id, "9996");
}

}  // namespace
}  // namespace dietmt::data
