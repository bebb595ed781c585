// Questions of the benchmarks' own files, from the JSON to the text of a prediction.
#include <gmock/gmock.h>

#include "data/tasks/question_reader.h"
#include "data/tasks/span_prediction.h"
#include "data/tasks/span_windows.h"
#include "tests/data/tasks/shared_data.h"
#include "tests/data/tasks/space_tokenizer.h"

namespace dietmt::data {
namespace {

namespace fs = std::filesystem;

// Counts from the data sets' descriptions.
struct SharedQuestions {
  std::string file;
  int64_t paragraphs;
  int64_t questions;
  int64_t impossible;
  int64_t answers;  // 0: unknown
};

class SharedQuestionsTest : public ::testing::TestWithParam<SharedQuestions> {};

TEST_P(SharedQuestionsTest, EveryAnswerStandsAtItsPlace) {
  const SharedQuestions& shared = GetParam();
  const fs::path path = shared_data() / shared.file;
  DIETMT_REQUIRE_SHARED(path);
  for (const QuestionUse use : {QuestionUse::kTraining, QuestionUse::kEvaluation}) {
    const QuestionSet set = read_questions(path.string(), use);
    EXPECT_EQ(std::ssize(set.contexts), shared.paragraphs);
    EXPECT_EQ(std::ssize(set.questions), shared.questions);
    EXPECT_EQ(std::ranges::count_if(set.questions, &Question::is_impossible), shared.impossible);
    EXPECT_TRUE(set.repaired.empty() && set.unplaced.empty()) << set.summary();
    int64_t answers = 0;
    for (const Question& question : set.questions) {
      for (const Answer& answer : question.answers) {
        ++answers;
        ASSERT_EQ(
            set.contexts[question.context].substr(static_cast<size_t>(answer.begin),
                                                  static_cast<size_t>(answer.end - answer.begin)),
            answer.text);
      }
    }
    if (shared.answers > 0) {
      EXPECT_EQ(answers, shared.answers);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, SharedQuestionsTest,
    ::testing::Values(
        SharedQuestions{"squad/dev-v1.1.recovered.json.gz", 2067, 10570, 0, 0},
        SharedQuestions{"squad/dev-v2.0.recovered.json.gz", 1204, 11873, 5945, 0},
        SharedQuestions{"xtreme/xquad/xquad.en.json.gz", 240, 1190, 0, 1190},
        SharedQuestions{"xtreme/xquad/xquad.th.json.gz", 240, 1190, 0, 1190},
        SharedQuestions{"xtreme/xquad/xquad.zh.json.gz", 240, 1190, 0, 1190},
        SharedQuestions{"xtreme/tydiqa-goldp/english_tydiqa_train.json.gz", 3696, 3696, 0, 3696},
        SharedQuestions{"xtreme/tydiqa-goldp/arabic_tydiqa_dev.json.gz", 921, 921, 0, 1620},
        SharedQuestions{"xtreme/tydiqa-goldp/korean_tydiqa_dev.json.gz", 276, 276, 0, 448}),
    [](const auto& file) {
      std::string name = fs::path(file.param.file).filename().string();
      std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
      return name;
    });

// Scores of 1 at an answer's labels must give back the words that contain the answer.
TEST(SharedQuestions, LabelsLeadBackToTheAnswer) {
  const fs::path path = shared_data() / "xtreme/xquad/xquad.de.json.gz";
  DIETMT_REQUIRE_SHARED(path);
  const QuestionSet set = read_questions(path.string(), QuestionUse::kTraining);
  const SpaceTokenizer tokenizer;
  int64_t exact = 0;
  for (const Question& question : set.questions) {
    const std::string& context = set.contexts[question.context];
    const TextPieces pieces = tokenizer.encode(context);
    const auto windows = span_windows(tokenizer.encode(question.text), pieces, tokenizer.special(),
                                      {.max_length = 100, .stride = 30, .max_question = 20});
    std::vector<WindowScores> scores;
    bool is_in_a_window = false;
    for (const SpanWindow& window : windows) {
      const SpanLabel label = span_label(window, pieces, question.answers[0]);
      WindowScores& of_window = scores.emplace_back();
      of_window.start.assign(window.ids.size(), 0.0F);
      of_window.end = of_window.start;
      of_window.start[static_cast<size_t>(label.start)] = 1.0F;
      of_window.end[static_cast<size_t>(label.end)] = 1.0F;
      is_in_a_window |= label.start > 0;
    }
    ASSERT_TRUE(is_in_a_window) << question.id;
    const std::string text = predict_span(context, pieces, windows, scores, {}).text;
    EXPECT_THAT(text, ::testing::HasSubstr(question.answers[0].text)) << question.id;
    EXPECT_EQ(text.find(' ') == std::string::npos,
              question.answers[0].text.find(' ') == std::string::npos);
    exact += text == question.answers[0].text ? 1 : 0;
  }
  EXPECT_GT(exact, 800);  // others end at punctuation, which the words include
}

}  // namespace
}  // namespace dietmt::data
