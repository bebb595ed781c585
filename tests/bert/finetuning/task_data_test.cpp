#include "bert/finetuning/task_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bert/finetuning/span_task.h"
#include "common/error.h"
#include "tests/bert/finetuning/toy_task.h"

namespace dietmt::bert {
namespace {

using data::find_task;
using data::TaskKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TaskDataTest : public ToyTaskTest {
 protected:
  static std::vector<std::string> names(const std::vector<SetFile>& sets) {
    std::vector<std::string> names;
    for (const SetFile& set : sets) names.push_back(set.name);
    return names;
  }

  template <typename Failure, typename Work>
  static std::string message_of(const Work& work) {
    try {
      work();
    } catch (const Failure& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
};

TEST_F(TaskDataTest, OfficialFilesAreFoundPlainOrCompressed) {
  write("train.tsv.gz", "");
  write("dev_matched.tsv", "");
  const auto find = [&] { return find_files(find_task("MNLI"), scratch(), {}); };
  EXPECT_THAT(message_of<DataError>(find), HasSubstr("dev_mismatched.tsv"));
  write("dev_mismatched.tsv", "");
  const TaskFiles files = find();
  EXPECT_EQ(files.train, (scratch() / "train.tsv.gz").string());
  EXPECT_THAT(names(files.valid), ElementsAre("", "mismatched"));
  EXPECT_EQ(files.valid[0].path, (scratch() / "dev_matched.tsv").string());
  EXPECT_THROW(find_files(find_task("MNLI"), scratch(), {"de"}), ConfigError);
}

TEST_F(TaskDataTest, LanguagesAreThoseThatAreThereWithEnglishFirst) {
  write("train-v1.1.json", "");
  const auto find = [&](const std::vector<std::string>& languages) {
    return find_files(find_task("XQuAD"), scratch(), languages);
  };
  EXPECT_THAT(message_of<DataError>([&] { find({}); }), HasSubstr("xquad."));
  write("xquad.de.json", "");
  write("xquad.en.json.gz", "");
  const TaskFiles files = find({});
  EXPECT_THAT(names(files.valid), ElementsAre("", "de"));
  EXPECT_EQ(files.valid[0].language, "en");
  EXPECT_THAT(names(find({"de"}).valid), ElementsAre(""));
  EXPECT_THAT(message_of<DataError>([&] { find({"de", "ru"}); }), HasSubstr("xquad.ru.json"));
  EXPECT_THAT(message_of<ConfigError>([&] { find({"xx"}); }), HasSubstr("'xx'"));
}

TEST_F(TaskDataTest, OwnSetsAreNamedAfterTheirFiles) {
  EXPECT_THAT(names(named_sets({"a/dev.tsv", "b/hard.dev.tsv.gz"})), ElementsAre("", "hard"));
  EXPECT_THAT(names(named_sets({"dev.tsv", "h\xff.tsv"})), ElementsAre("", "h\xEF\xBF\xBD"));
  EXPECT_THROW(named_sets({"dev.tsv", "a/x.tsv", "b/x.tsv"}), ConfigError);
}

TEST_F(TaskDataTest, LabelsAreThoseOfTheTrainingFile) {
  TaskDescription description;
  description.task = own_task(TaskKind::kClassification, {"accuracy"});
  description.task.layouts = {{.first = "sentence", .label = "label"}};
  const std::string train = write("train.tsv", "label\tsentence\nwild\tdog\ncalm\tcat tree\n");
  const std::string valid = write("valid.tsv", "sentence\tlabel\nbig cat\tcalm\n");
  const LabelledData data = read_labelled(description, {train, {{"", valid, ""}}}, tokenizer());
  EXPECT_THAT(description.task.target.labels, ElementsAre("calm", "wild"));
  EXPECT_THAT(data.train.labels, ElementsAre(1, 0));
  EXPECT_THAT(data.valid[0].labels, ElementsAre(0));
  EXPECT_EQ(data.train.inputs.length(1), 4);
  EXPECT_EQ(description.heads().classes, 2);

  const std::string strange = write("strange.tsv", "sentence\tlabel\ncat\tcalm\ndog\tnew\n");
  EXPECT_THAT(message_of<DataError>([&] {
                read_labelled(description, {train, {{"", strange, ""}}}, tokenizer());
              }),
              HasSubstr("strange.tsv:3: label 'new'"));
  description.task.target.labels.clear();
  const std::string equal = write("equal.tsv", "sentence\tlabel\ncat\tcalm\n");
  EXPECT_THAT(message_of<DataError>([&] {
                read_labelled(description, {equal, {{"", equal, ""}}}, tokenizer());
              }),
              HasSubstr("all examples have the label 'calm'"));
}

TEST_F(TaskDataTest, TheF1OfOneClassIsNotThatOfThree) {
  TaskDescription description;
  description.task = own_task(TaskKind::kClassification, {"f1"});
  description.task.layouts = {{.first = "sentence", .label = "label"}};
  const std::string file = write("three.tsv", "sentence\tlabel\ncat\ta\ndog\tb\nred\tc\n");
  const auto read = [&] { read_labelled(description, {file, {{"", file, ""}}}, tokenizer()); };
  EXPECT_THAT(message_of<ConfigError>(read), HasSubstr("does not fit 3 classes"));
}

TEST_F(TaskDataTest, QuestionsWithoutAnswerNeedATaskThatHasThem) {
  TaskDescription description;
  description.task = own_task(TaskKind::kSpan, {"f1"});
  const auto file_of = [&](const std::string& name, const std::string& second) {
    return write(name, R"({"data": [{"title": "t", "paragraphs": [{"context": "red cat", "qas": [
      {"id": "q1", "question": "where", "answers": [{"text": "cat", "answer_start": 4}]},
      {"id": "q2", "question": "where", )" +
                           second + "}]}]}]}");
  };
  const std::string whole =
      file_of("whole.json", R"("answers": [{"text": "red", "answer_start": 0}])");
  const std::string partly = file_of("partly.json", R"("is_impossible": true, "answers": [])");
  const auto message = [&](const std::string& train, const std::string& valid) {
    return message_of<DataError>([&] {
      read_spans(description, {train, {{"", valid, ""}}}, tokenizer());
    });
  };
  const std::string expected = "partly.json: question q2 has no answer; give --unanswerable";
  EXPECT_THAT(message(whole, partly), HasSubstr(expected));
  EXPECT_THAT(message(partly, whole), HasSubstr(expected));
  EXPECT_EQ(message(whole, whole), "nothing was thrown");
  description.task.has_unanswerable = true;
  EXPECT_EQ(message(partly, partly), "nothing was thrown");
}

TEST_F(TaskDataTest, DescriptionsAreStoredWhole) {
  for (const char* name : {"QQP", "STS-B", "XNLI", "SQuAD2.0"}) {
    TaskDescription description;
    description.task = find_task(name);
    description.max_length = 77;
    description.windows = {77, 9, 8};
    description.prediction.max_answer_pieces = 5;
    description.prediction.null_threshold = -1.5;
    description.prediction.has_unanswerable = description.task.has_unanswerable;
    write_task(scratch(), description);
    const TaskDescription stored = read_task(scratch());
    EXPECT_EQ(stored.task.name, name);
    EXPECT_EQ(stored.kind(), description.kind());
    EXPECT_EQ(stored.max_length, 77);
    EXPECT_EQ(stored.task.target.labels, description.task.target.labels);
    EXPECT_EQ(stored.task.metrics, description.task.metrics);
    EXPECT_EQ(stored.task.has_unanswerable, description.task.has_unanswerable);
    EXPECT_EQ(stored.inputs().pairs, description.inputs().pairs);
    ASSERT_EQ(stored.task.layouts.size(), description.task.layouts.size());
    for (size_t i = 0; i < stored.task.layouts.size(); ++i) {
      EXPECT_EQ(stored.task.layouts[i].format, description.task.layouts[i].format);
      EXPECT_EQ(stored.task.layouts[i].second, description.task.layouts[i].second);
      EXPECT_EQ(stored.task.layouts[i].label_texts, description.task.layouts[i].label_texts);
      EXPECT_EQ(stored.task.layouts[i].skips_malformed,
                description.task.layouts[i].skips_malformed);
    }
    if (stored.kind() != TaskKind::kSpan) continue;
    EXPECT_EQ(stored.windows.max_length, 77);
    EXPECT_EQ(stored.windows.stride, 9);
    EXPECT_EQ(stored.prediction.max_answer_pieces, 5);
    EXPECT_EQ(stored.prediction.null_threshold, -1.5);
    EXPECT_TRUE(stored.prediction.has_unanswerable);
  }
}

TEST_F(TaskDataTest, ADirectoryWithoutATaskIsRefused) {
  EXPECT_THAT(message_of<CheckpointError>([&] { read_task(scratch()); }), HasSubstr("task.json"));
  write("task.json", "{\"format\": 9}");
  EXPECT_THAT(message_of<CheckpointError>([&] { read_task(scratch()); }), HasSubstr("format 9"));
}

}  // namespace
}  // namespace dietmt::bert
