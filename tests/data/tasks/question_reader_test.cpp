#include "data/tasks/question_reader.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "tests/common/gzipped.h"
#include "tests/common/scratch.h"

namespace dietmt::data {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

json question(const std::string& id, const std::vector<json>& answers) {
  return {{"id", id}, {"question", "What is " + id + "?"}, {"answers", answers}};
}

json answer(const std::string& text, int64_t start) {
  return {{"text", text}, {"answer_start", start}};
}

// A file of one article with one paragraph.
json file_of(const std::string& context, const std::vector<json>& questions) {
  const json paragraph = {{"context", context}, {"qas", questions}};
  const json article = {{"title", "T"}, {"paragraphs", json::array({paragraph})}};
  return {{"version", "1.1"}, {"data", json::array({article})}};
}

class QuestionReaderTest : public ScratchTest {
 protected:
  QuestionSet read(const std::string& content, QuestionUse use = QuestionUse::kTraining) const {
    return read_questions(write("q.json", content), use);
  }
  QuestionSet read(const json& content, QuestionUse use = QuestionUse::kTraining) const {
    return read(content.dump(), use);
  }
  std::string error_of(const std::string& content, QuestionUse use = QuestionUse::kTraining) const {
    try {
      read(content, use);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }
  std::string error_of(const json& content, QuestionUse use = QuestionUse::kTraining) const {
    return error_of(content.dump(), use);
  }
};

TEST_F(QuestionReaderTest, OffsetsAreCodePointsInTheFileAndBytesHere) {
  const std::string context = "Zürich: 😀 größer als Köln";
  const QuestionSet set = read(file_of(
      context, {question("q1", {answer("größer", 10)}), question("q2", {answer("Köln", 21)})}));
  ASSERT_THAT(set.questions, SizeIs(2));
  EXPECT_THAT(set.contexts, ElementsAre(context));
  for (const Question& found : set.questions) {
    const Answer& first = found.answers.at(0);
    EXPECT_EQ(context.substr(static_cast<size_t>(first.begin),
                             static_cast<size_t>(first.end - first.begin)),
              first.text);
    EXPECT_EQ(found.context, 0U);
  }
  EXPECT_EQ(set.questions[1].answers[0].end, std::ssize(context));
  EXPECT_EQ(set.questions[0].text, "What is q1?");
  EXPECT_THAT(set.repaired, IsEmpty());
  EXPECT_THAT(set.unplaced, IsEmpty());
}

TEST_F(QuestionReaderTest, ParagraphsOfSeveralArticlesKeepTheirOrder) {
  json content = file_of("one two", {question("a", {answer("two", 4)})});
  content["data"][0]["paragraphs"].push_back(
      {{"qas", json::array({question("b", {answer("three", 0)})})}, {"context", "three"}});
  content["data"].push_back(file_of("four", {question("c", {answer("four", 0)})})["data"][0]);
  const QuestionSet set = read(gzipped(content.dump(2)));
  EXPECT_THAT(set.contexts, ElementsAre("one two", "three", "four"));
  ASSERT_THAT(set.questions, SizeIs(3));
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(set.questions[i].context, i);
  EXPECT_EQ(set.questions[2].id, "c");
}

TEST_F(QuestionReaderTest, AnswersBesideTheirOffsetAreMovedToTheOnlyPlaceNear) {
  const std::string far(60, 'x');
  const std::string context = "the cat " + far + " a cat saw one dog and one bird " + far + " cat";
  const auto cat = static_cast<int64_t>(context.find("cat saw"));
  const auto one = static_cast<int64_t>(context.find("one bird"));
  const json content = file_of(
      context, {question("near", {answer("cat", cat + 3)}),
                question("two", {answer("one", one - 4)}), question("far", {answer("bird", 0)}),
                question("after", {answer("cat", 10'000)}), question("before", {answer("cat", -5)}),
                question("good", {answer("zebra", 1), answer("dog", cat + 12)})});
  const QuestionSet training = read(content);
  EXPECT_THAT(training.repaired, ElementsAre("near", "after", "before"));
  EXPECT_THAT(training.unplaced, ElementsAre("two", "far", "good"));
  EXPECT_EQ(training.dropped, 2);
  ASSERT_THAT(training.questions, SizeIs(4));
  EXPECT_EQ(training.questions[0].answers[0].begin, cat);
  EXPECT_EQ(training.questions[2].answers[0].begin, 4);
  EXPECT_THAT(training.questions[3].answers, SizeIs(1));
  EXPECT_THAT(training.summary(),
              AllOf(HasSubstr("4 questions on 1 paragraphs"),
                    HasSubstr("3 with an answer next to its offset, which was moved: near, after"),
                    HasSubstr("3 with an answer that is not at its offset: two, far, good"),
                    HasSubstr("2 questions dropped")));

  const QuestionSet evaluation = read(content, QuestionUse::kEvaluation);
  ASSERT_THAT(evaluation.questions, SizeIs(6));
  EXPECT_EQ(evaluation.dropped, 0);
  EXPECT_FALSE(evaluation.questions[2].answers[0].has_place());
  EXPECT_EQ(evaluation.questions[2].answers[0].text, "bird");
}

TEST_F(QuestionReaderTest, QuestionsMayHaveNoAnswer) {
  json impossible = question("i", {});
  impossible["is_impossible"] = true;
  impossible["plausible_answers"] = json::array({answer("one", 0)});
  json possible = question("p", {answer("one", 0)});
  possible["is_impossible"] = false;
  const QuestionSet set = read(file_of("one", {impossible, possible}));
  EXPECT_TRUE(set.questions.at(0).is_impossible);
  EXPECT_THAT(set.questions[0].answers, IsEmpty());
  EXPECT_FALSE(set.questions.at(1).is_impossible);
  EXPECT_THAT(set.summary(), HasSubstr("1 without answer"));
}

TEST_F(QuestionReaderTest, AnEmptyListSaysThatThereIsNoAnswer) {
  const json content = file_of("one", {question("e", {})});
  for (const QuestionUse use : {QuestionUse::kTraining, QuestionUse::kEvaluation})
    EXPECT_TRUE(read(content, use).questions.at(0).is_impossible);
}

TEST_F(QuestionReaderTest, AnswersMayBeHiddenOnlyInEvaluation) {
  json hidden = question("h", {});
  hidden.erase("answers");
  const json content = file_of("one", {hidden});
  const QuestionSet set = read(content, QuestionUse::kEvaluation);
  EXPECT_FALSE(set.questions.at(0).is_impossible);
  EXPECT_THAT(error_of(content),
              AllOf(HasSubstr("q.json: question h: "), HasSubstr("\"answers\" is missing")));
}

TEST_F(QuestionReaderTest, MistakesNameFileAndQuestion) {
  const auto with = [](const char* key, const json& value) {
    json changed = question("q7", {answer("one", 0)});
    changed[key] = value;
    return file_of("one two", {changed});
  };
  EXPECT_THAT(error_of(with("question", nullptr)),
              HasSubstr("q.json: question q7: \"question\" is not a string"));
  EXPECT_THAT(error_of(with("answers", "one")),
              HasSubstr("question q7: \"answers\" is not an array"));
  EXPECT_THAT(error_of(with("answers", json::array({"one"}))),
              HasSubstr("question q7: expected an object"));
  EXPECT_THAT(error_of(with("answers", json::array({json{{"text", "one"}}}))),
              HasSubstr("question q7: \"answer_start\" is missing"));
  EXPECT_THAT(
      error_of(with("answers", json::array({json{{"text", "one"}, {"answer_start", 0.5}}}))),
      HasSubstr("question q7: \"answer_start\" is not a whole number"));
  EXPECT_THAT(error_of(with("is_impossible", "no")), HasSubstr("question q7: \"is_impossible\""));
  json nameless = question("q7", {answer("one", 0)});
  nameless.erase("id");
  EXPECT_THAT(error_of(file_of("one", {question("a", {answer("one", 0)}), nameless})),
              HasSubstr("question number 2: \"id\" is missing"));
  const json twice = question("q7", {answer("one", 0)});
  EXPECT_THAT(error_of(file_of("one", {twice, twice})), HasSubstr("question q7: duplicate id"));
  json headless = file_of("one", {twice});
  headless["data"][0]["paragraphs"][0].erase("context");
  EXPECT_THAT(error_of(headless), HasSubstr("\"context\" is missing"));
}

TEST_F(QuestionReaderTest, FilesOfAnotherFormAreErrors) {
  EXPECT_THAT(error_of(std::string("{\n\"data\": [\n}")),
              HasSubstr("q.json:3: not JSON: parse error"));
  EXPECT_THAT(error_of(std::string("{\n\"data\": \"caf\xE9\"}")), HasSubstr("q.json:2: not JSON"));
  EXPECT_THAT(error_of(std::string()), HasSubstr("not JSON"));
  EXPECT_THAT(error_of(std::string("[]")), HasSubstr("no \"data\"; expected SQuAD's JSON: data"));
  EXPECT_THAT(error_of(std::string("{\"data\": []}")), HasSubstr("no questions"));
  EXPECT_THAT(error_of(file_of("one", {question("q", {answer("two", 0)})})),
              AllOf(HasSubstr("no questions"), HasSubstr("1 questions dropped")));
}

TEST_F(QuestionReaderTest, AHugeContextIsReadOnceForAllItsQuestions) {
  std::string context;
  for (int i = 0; i < 200'000; ++i) context += "é ";
  std::vector<json> questions;
  for (int i = 0; i < 200; ++i)
    questions.push_back(question(std::to_string(i), {answer("é", 2 * (199'999 - i))}));
  const QuestionSet set = read(file_of(context, questions));
  EXPECT_THAT(set.contexts, SizeIs(1));
  EXPECT_EQ(set.questions.at(199).answers.at(0).begin, 3 * (199'999 - 199));
}

}  // namespace
}  // namespace dietmt::data
