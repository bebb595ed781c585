#include "data/tasks/task_reader.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "data/tasks/task_table.h"
#include "tests/common/gzipped.h"
#include "tests/common/scratch.h"

namespace dietmt::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ReadOptions kUnlabelled = {.labels = LabelUse::kIgnored};

class TaskReaderTest : public ScratchTest {
 protected:
  TaskData read(const std::string& task_name, const std::string& content,
                const ReadOptions& options = {}) const {
    const Task& task = find_task(task_name);
    return read_examples(write("data.tsv", content), task.layouts, task.target, options);
  }
  TaskData read(const TableLayout& layout, const Target& target, const std::string& content) const {
    return read_examples(write("data.tsv", content), {layout}, target, {});
  }

  std::string error_of(const std::string& task_name, const std::string& content,
                       const ReadOptions& options = {}) const {
    return error_of([&] { read(task_name, content, options); });
  }
  static std::string error_of(const auto& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(TaskReaderTest, ColaHasAHeaderOnlyInTheTestSet) {
  const TaskData train = read("CoLA", "gj04\t1\t\tShe sang.\nks08\t0\t*\tHer sang.\n");
  ASSERT_EQ(train.examples.size(), 2U);
  EXPECT_EQ(train.examples[1].first, "Her sang.");
  EXPECT_EQ(train.examples[1].second, "");
  EXPECT_EQ(train.examples[1].label, 0);
  EXPECT_EQ(train.examples[1].id, "1");
  EXPECT_THAT(train.label_counts(), ElementsAre(1, 1));

  const TaskData test = read("CoLA", "index\tsentence\n0\tBill sang.\n1\tI.\n", kUnlabelled);
  ASSERT_EQ(test.examples.size(), 2U);
  EXPECT_EQ(test.examples[0].first, "Bill sang.");
  EXPECT_EQ(test.examples[0].label, -1);
  EXPECT_FALSE(test.labelled);
}

TEST_F(TaskReaderTest, MrpcIsReadInItsOriginalFormWithMarkAndCarriageReturns) {
  const TaskData data = read("MRPC",
                             "\xEF\xBB\xBFQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
                             "1\t7\t8\tHe said \"yes\t\"Yes\" he said\r\n");
  ASSERT_EQ(data.examples.size(), 1U);
  EXPECT_EQ(data.examples[0].first, "He said \"yes");
  EXPECT_EQ(data.examples[0].second, "\"Yes\" he said");
  EXPECT_EQ(data.examples[0].label, 1);
  const TaskData test =
      read("MRPC", "index\t#1 ID\t#2 ID\t#1 String\t#2 String\n5\t7\t8\ta\tb\n", kUnlabelled);
  EXPECT_EQ(test.examples[0].id, "5");
}

TEST_F(TaskReaderTest, MnliTakesTheGoldLabelAmongTheAnnotators) {
  const std::string header =
      "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse\t"
      "sentence1_parse\tsentence2_parse\tsentence1\tsentence2\tlabel1\tlabel2\tgold_label\n";
  const std::string parses = "9\t3\t3e\tfiction\t( a )\t( b )\t(A)\t(B)\t";
  const TaskData data =
      read("MNLI", header + parses + "One.\tTwo.\tentailment\tneutral\tneutral\n" + parses +
                       "One.\tThree.\tentailment\tcontradiction\t-\n");
  ASSERT_EQ(data.examples.size(), 1U);
  EXPECT_EQ(data.examples[0].first, "One.");
  EXPECT_EQ(data.examples[0].second, "Two.");
  EXPECT_EQ(data.labels[static_cast<size_t>(data.examples[0].label)], "neutral");
  EXPECT_EQ(data.examples[0].id, "9");
  EXPECT_EQ(data.unlabelled.rows, 1);
  EXPECT_THAT(data.summary(),
              AllOf(HasSubstr("1 of 'neutral'"), HasSubstr("1 rows skipped: no label, first "),
                    HasSubstr("data.tsv:3")));
}

TEST_F(TaskReaderTest, StsbHasScoresInBothLayouts) {
  const TaskData glue = read("STS-B",
                             "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\t"
                             "sentence1\tsentence2\tscore\n"
                             "0\tnews\tf\t2012\t1\tnone\tnone\tA.\tB.\t3.800\n");
  EXPECT_EQ(glue.examples[0].score, 3.8);
  EXPECT_EQ(glue.examples[0].label, -1);
  const TaskData original = read("STS-B",
                                 "news\tf\t2012\t0001\t5\tA\tB\r\n"
                                 "news\tf\t2012\t0002\t0.25\t\"C\tD\tsource\tsource\r\n");
  ASSERT_EQ(original.examples.size(), 2U);
  EXPECT_EQ(original.examples[0].second, "B");
  EXPECT_EQ(original.examples[1].first, "\"C");
  EXPECT_EQ(original.examples[1].score, 0.25);
}

TEST_F(TaskReaderTest, ScoresOutOfRangeAreErrors) {
  for (const std::string score : {"5.1", "-0.1", "nan", "", "4,5", "4 "}) {
    EXPECT_THAT(error_of("STS-B", "n\tf\t1\t2\t3\ta\tb\nn\tf\t1\t2\t" + score + "\ta\tb\n"),
                HasSubstr("data.tsv:2: score '" + score + "', expected a number from 0 to 5"));
  }
}

const std::string kQqpHeader = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n";

TEST_F(TaskReaderTest, BrokenRowsOfQqpAreCountedInTrainingAndErrorsInATestSet) {
  const std::string rows =
      "1\t2\t3\tWhy?\tHow?\t0\n4\t5\t6\tWhat\nnow?\tWhen?\t1\n7\t8\t9\ta\tb\t1\n";
  const TaskData data = read("QQP", kQqpHeader + rows);
  ASSERT_EQ(data.examples.size(), 2U);
  EXPECT_EQ(data.examples[1].id, "7");
  EXPECT_EQ(data.malformed.rows, 2);
  EXPECT_THAT(data.malformed.first_where, HasSubstr("data.tsv:3"));
  EXPECT_THAT(data.summary(), HasSubstr("2 rows skipped: wrong number of columns"));
  EXPECT_THAT(error_of("QQP", kQqpHeader + rows, kUnlabelled),
              HasSubstr("data.tsv:3: 4 columns, expected 6"));
}

TEST_F(TaskReaderTest, QqpOfExercisesIsToldByItsHeader) {
  const TaskData data = read("QQP",
                             "\tid\tsentence1\tsentence2\tis_duplicate\n"
                             "5\tx1\t\"\"\"What\tis\"\" it?\"\tWhat?\t1.0\n"
                             "6\tx2\tHow tall is 5' 3\" tall?\t\"\"\t0.0\n"
                             "7\tx3\ta\tb\t\n");
  ASSERT_EQ(data.examples.size(), 2U);
  EXPECT_EQ(data.examples[0].first, "\"What\tis\" it?");
  EXPECT_EQ(data.examples[0].label, 1);
  EXPECT_EQ(data.examples[0].id, "x1");
  EXPECT_EQ(data.examples[1].first, "How tall is 5' 3\" tall?");
  EXPECT_EQ(data.examples[1].label, 0);
  EXPECT_EQ(data.unlabelled.rows, 1);
  EXPECT_EQ(data.empty.rows, 1);
}

TEST_F(TaskReaderTest, XnliGivesTheRowsOfOneLanguage) {
  const std::string content =
      "language\tgold_label\tsentence1\tsentence2\tpairID\n"
      "de\tneutral\tEins.\tZwei.\t1\nfr\tentailment\tUn.\tDeux.\t1\n"
      "de\tcontradiction\tDrei.\tVier.\t2\n";
  const TaskData data = read("XNLI", content, {.language = "de"});
  ASSERT_EQ(data.examples.size(), 2U);
  EXPECT_EQ(data.examples[1].first, "Drei.");
  EXPECT_EQ(data.examples[1].id, "2");
  EXPECT_EQ(data.examples[1].label, 0);
  EXPECT_THAT(error_of("XNLI", content), HasSubstr("several languages"));
  EXPECT_THAT(error_of("XNLI", content, {.language = "sw"}),
              HasSubstr("no examples of language 'sw' in 3 rows"));
}

TEST_F(TaskReaderTest, PawsXHasTheReleasesFilesAndXtremes) {
  for (const char* content :
       {"id\tsentence1\tsentence2\tlabel\n7\tEins.\t\"Zwei.\t1\n", "Eins.\t\"Zwei.\t1\n"}) {
    const TaskData data = read("PAWS-X", content, {.language = "de"});
    ASSERT_EQ(data.examples.size(), 1U);
    EXPECT_EQ(data.examples[0].second, "\"Zwei.");
    EXPECT_EQ(data.examples[0].label, 1);
  }
  const Task& task = find_task("paws-x");
  EXPECT_EQ(with_language(task.split("dev").file, "ko"), "ko/dev_2k.tsv");
  EXPECT_EQ(find_task_and_language("PAWS-X-ja").language, "ja");
}

TEST_F(TaskReaderTest, XnliTrainsOnTheTranslationsOfMnli) {
  const TaskData data = read("XNLI", "premise\thypo\tlabel\nA\tB\tcontradictory\nA\tC\tneutral\n");
  EXPECT_EQ(data.examples[0].label, 0);
  EXPECT_EQ(data.examples[1].label, 2);
  EXPECT_EQ(data.labels[0], "contradiction");
}

TEST_F(TaskReaderTest, LabelsMayBeAbsentWhereTheyAreNotNeeded) {
  const std::string with = "index\tsentence1\tsentence2\tlabel\n0\ta\tb\tnot_entailment\n";
  const std::string without = "index\tsentence1\tsentence2\n0\ta\tb\n";
  EXPECT_EQ(read("RTE", with, {.labels = LabelUse::kIfPresent}).examples[0].label, 1);
  EXPECT_FALSE(read("RTE", without, {.labels = LabelUse::kIfPresent}).labelled);
  EXPECT_EQ(read("RTE", with, kUnlabelled).examples[0].label, -1);
  EXPECT_THAT(error_of("RTE", without), HasSubstr("data.tsv:1: no column 'label'"));
}

TEST_F(TaskReaderTest, MistakesNameTheLineAndWhatWasExpected) {
  EXPECT_THAT(error_of("RTE", "index\tsentence1\tlabel\n"),
              AllOf(HasSubstr("data.tsv:1: expected a header with 'sentence1', 'sentence2'"),
                    HasSubstr("'label'")));
  EXPECT_THAT(error_of("CoLA", "gj04\t1\tShe sang.\n"),
              AllOf(HasSubstr("data.tsv:1: expected a header with 'sentence', 'label'"),
                    HasSubstr("or 4 columns without a header")));
  EXPECT_THAT(error_of("CoLA", "gj04\t1\t\tShe sang.\ngj04 1 She sang.\n"),
              HasSubstr("data.tsv:2: 1 columns, expected 4"));
  EXPECT_THAT(error_of("SST-2", "sentence\tlabel\ngood\t1\nbad\t2\n"),
              HasSubstr("data.tsv:3: label '2', expected one of '0', '1'"));
  EXPECT_THAT(error_of("SST-2", "sentence\tlabel\ngood\t\n"),
              HasSubstr("data.tsv:2: label '', expected"));
  EXPECT_THAT(error_of("SST-2", ""), HasSubstr("data.tsv: no examples: the file is empty"));
  EXPECT_THAT(error_of("SST-2", "sentence\tlabel\n"), HasSubstr("data.tsv: no examples"));
  EXPECT_THAT(error_of("SQuAD1.1", "{}"), HasSubstr("does not read tables"));
}

TEST_F(TaskReaderTest, OddTextIsKeptAndCounted) {
  const TaskData data = read("RTE",
                             "index\tsentence1\tsentence2\tlabel\n"
                             "0\tcaf\xE9\tb\tentailment\n"
                             "1\t\tb\tentailment\n"
                             "2\ta\x0B\xC2\x85z\tb\tentailment");
  ASSERT_EQ(data.examples.size(), 3U);
  EXPECT_EQ(data.examples[0].first, "caf\xEF\xBF\xBD");
  EXPECT_EQ(data.examples[2].first, "a\x0B\xC2\x85z");
  EXPECT_EQ(data.not_utf8.rows, 1);
  EXPECT_EQ(data.empty.rows, 1);
  EXPECT_THAT(data.summary(), AllOf(HasSubstr("data.tsv:2"), HasSubstr("data.tsv:3")));
}

TEST_F(TaskReaderTest, FilesMayBeCompressed) {
  const TaskData data = read("SST-2", gzipped("sentence\tlabel\ngood \t1\n"));
  EXPECT_EQ(data.examples[0].first, "good ");
}

class OwnTableTest : public TaskReaderTest {
 protected:
  OwnTableTest() {
    layout_.first = "premise";
    layout_.second = "hypothesis";
    layout_.label = "gold";
    layout_.id = "key";
  }
  TableLayout layout_;
};

TEST_F(OwnTableTest, LabelsAreFoundAndSorted) {
  const TaskData data = read(layout_, {},
                             "gold\tpremise\thypothesis\nyes\ta\tb\nno\tc\td\n"
                             "maybe\te\tf\nno\tg\th\n");
  EXPECT_THAT(data.labels, ElementsAre("maybe", "no", "yes"));
  EXPECT_THAT(data.label_counts(), ElementsAre(1, 2, 1));
  EXPECT_EQ(data.examples[0].label, 2);
  EXPECT_EQ(data.examples[3].label, 1);
  // Another split, with the labels of this one.
  const Target known = {.labels = data.labels};
  EXPECT_EQ(read(layout_, known, "gold\tpremise\thypothesis\nyes\ta\tb\n").examples[0].label, 2);
  EXPECT_THAT(error_of([&] { read(layout_, known, "gold\tpremise\thypothesis\nperhaps\ta\tb\n"); }),
              HasSubstr("'perhaps', expected one of 'maybe', 'no', 'yes'"));
}

TEST_F(OwnTableTest, AColumnThatHoldsNoLabelsIsNoticed) {
  std::string content = "gold\tpremise\thypothesis\n";
  for (int i = 0; i <= 1000; ++i) content += std::to_string(i) + "\ta\tb\n";
  EXPECT_THAT(error_of([&] { read(layout_, {}, content); }),
              AllOf(HasSubstr("data.tsv:1002"), HasSubstr("is 'gold' the column")));
}

TEST_F(OwnTableTest, JsonLinesAreReadByName) {
  layout_.format = RecordFormat::kJsonLines;
  const TaskData data =
      read(layout_, {},
           "{\"premise\": \"a\\tb\", \"hypothesis\": null, \"gold\": 1, \"key\": \"k1\"}\n\n"
           "{\"gold\": 0, \"other\": [2], \"key\": 17, \"hypothesis\": \"\\u00e9\", "
           "\"premise\": \"c\"}\n");
  ASSERT_EQ(data.examples.size(), 2U);
  EXPECT_EQ(data.examples[0].first, "a\tb");
  EXPECT_EQ(data.examples[0].second, "");
  EXPECT_EQ(data.examples[1].second, "\xC3\xA9");
  EXPECT_EQ(data.examples[1].id, "17");
  EXPECT_THAT(data.labels, ElementsAre("0", "1"));
}

TEST_F(OwnTableTest, JsonLinesMayLackNamesThatNoColumnUses) {
  layout_.format = RecordFormat::kJsonLines;
  const TaskData data =
      read(layout_, {},
           "{\"note\": \"n\", \"premise\": \"a\", \"hypothesis\": \"b\", \"gold\": 1}\n"
           "{\"premise\": \"c\", \"hypothesis\": \"d\", \"gold\": 0}\n");
  ASSERT_EQ(data.examples.size(), 2U);
  EXPECT_EQ(data.examples[1].first, "c");
  EXPECT_EQ(data.examples[1].second, "d");
}

TEST_F(OwnTableTest, BrokenJsonLinesNameTheLine) {
  layout_.format = RecordFormat::kJsonLines;
  const std::string good = "{\"premise\": \"a\", \"hypothesis\": \"b\", \"gold\": 1}\n";
  const auto error = [&](const std::string& content) {
    return error_of([&] { read(layout_, {}, content); });
  };
  EXPECT_THAT(error(good + "{\"premise\": \"a\""), HasSubstr("data.tsv:2: not JSON: parse error"));
  EXPECT_THAT(error(good + "[1]\n"), HasSubstr("data.tsv:2: expected a JSON object"));
  EXPECT_THAT(error(good + "{\"premise\": \"a\", \"gold\": 1}\n"),
              HasSubstr("data.tsv:2: the object has no \"hypothesis\""));
  EXPECT_THAT(error("{\"premise\": \"a\"}\n"), HasSubstr("data.tsv:1: expected a header with"));
  EXPECT_THAT(error("{\"text\": \"caf\xE9\"}\n"), HasSubstr("data.tsv:1: not JSON"));
}

TEST_F(OwnTableTest, CommasAndQuotesAsInCsv) {
  layout_.format = RecordFormat::kCsv;
  const TaskData data = read(layout_, {},
                             "key,premise,hypothesis,gold\r\n"
                             "1,\"one, \"\"two\"\"\nthree\",four,x\r\n"
                             "2,,\"\",y\r\n");
  ASSERT_EQ(data.examples.size(), 2U);
  EXPECT_EQ(data.examples[0].first, "one, \"two\"\nthree");
  EXPECT_EQ(data.examples[1].second, "");
  EXPECT_EQ(data.examples[1].id, "2");
  EXPECT_THAT(error_of([&] {
                read(layout_, {}, "key,premise,hypothesis,gold\n1,a,b,x\n2,\"open,b,x\n3,c,d,x\n");
              }),
              HasSubstr("data.tsv:3: unclosed quote"));
}

TEST_F(OwnTableTest, WithoutHeaderAllRowsHaveAsManyColumnsAsTheFirst) {
  const TableLayout layout = {
      .header = false, .min_columns = 2, .max_columns = 0, .first = "1", .label = "2"};
  EXPECT_EQ(read(layout, {}, "a b\tx\t1\nc\ty\t2\n").examples.size(), 2U);
  EXPECT_THAT(error_of([&] { read(layout, {}, "a\tx\nb\t c\tx\n"); }),
              HasSubstr("data.tsv:2: 3 columns, expected 2"));
  EXPECT_THAT(error_of([&] { read(layout, {}, "a\n"); }),
              HasSubstr("at least 2 columns without a header"));
}

TEST_F(OwnTableTest, ColumnsMayBeNumbers) {
  TableLayout layout = {.min_columns = 2, .max_columns = 2, .first = "2", .label = "1"};
  layout.header = false;
  const Target scores = {.kind = TaskKind::kRegression, .lowest = -1, .highest = 1};
  EXPECT_EQ(read(layout, scores, "-0.5\ttext\n").examples[0].score, -0.5);
  layout.header = true;
  EXPECT_EQ(read(layout, scores, "score\twords\n0.5\ttext\n").examples[0].first, "text");
  layout.header = false;
  layout.label = "3";
  EXPECT_THAT(error_of([&] { read(layout, scores, "-0.5\ttext\n"); }),
              HasSubstr("column '3' of a file without header: expected 1 to 2"));
  for (const std::string name : {"score", "0", "-1"}) {
    layout.label = name;
    EXPECT_THAT(error_of([&] { read(layout, scores, "-0.5\ttext\n"); }),
                HasSubstr("column '" + name + "' of a file without header"));
    layout.header = true;
    EXPECT_THAT(error_of([&] { read(layout, scores, "points\twords\n0.5\ttext\n"); }),
                HasSubstr("no column '" + name + "'"));
    layout.header = false;
  }
}

}  // namespace
}  // namespace dietmt::data
