#include "nmt/reranking/nbest_reader.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt::nmt {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class NBestReaderTest : public ScratchTest {
 protected:
  // "SOURCE: TEXT SCORE, TEXT SCORE" for each sentence.
  static std::vector<std::string> read(const std::string& list, const std::string& source) {
    NBestReader reader(list, source);
    std::vector<std::string> found;
    for (ListedSentence sentence; reader.next(sentence);) {
      std::string line = sentence.source + ":";
      for (const ListedTranslation& one : sentence.translations)
        line += " [" + one.text + "] " + std::to_string(one.score).substr(0, 4);
      found.push_back(line);
    }
    return found;
  }

  std::string problem(const std::string& list, const std::string& source) const {
    const std::string list_file = write("list", list);
    const std::string source_file = source.empty() ? "" : write("source", source);
    return message_of<Error>([&] { read(list_file, source_file); });
  }
};

TEST_F(NBestReaderTest, ReadsTheTextForm) {
  const std::string list = write("list",
                                 "0 ||| ein Hund ||| -0.25\n"
                                 "0 ||| a ||| b ||| -1.5\r\n"
                                 "1 |||  ||| 0\n"
                                 "2 ||| drei ||| -3e-1 ||| 0-0 1-1\n");
  EXPECT_THAT(
      read(list, write("source", "a dog\n\nthree\n")),
      ElementsAre("a dog: [ein Hund] -0.2 [a ||| b] -1.5", ": [] 0.00", "three: [drei] -0.3"));
}

TEST_F(NBestReaderTest, ReadsTheFeaturesOfMosesAndMarian) {
  const std::string source = write("source", "a dog\na cat\n");
  NBestReader reader(
      write("list",
            "0 ||| ein Hund ||| LM0= -7 TM0= -1.5 -2e-1 WordPenalty0=-3  ||| -0.4\n"
            "0 ||| ein |||  b |||  ||| LM0= 1 TM0= 2 3 WordPenalty0= 4 ||| -1 ||| 0-1=0 2-2=1\n"
            "1 ||| eine Katze ||| 0-0 1-1 ||| WordScores= -1 -2 ||| LM0= 5 TM0= 6 7 "
            "WordPenalty0= 8 ||| -2\n"
            "1 |||  ||| 0.9,0.1 0.2,0.8 ||| LM0= 0 TM0= 0 0 WordPenalty0= 0 ||| 1e-05\n"),
      source);
  EXPECT_THAT(reader.feature_names(), ElementsAre("LM0", "TM0.1", "TM0.2", "WordPenalty0"));
  ListedSentence sentence;
  ASSERT_TRUE(reader.next(sentence));
  ASSERT_EQ(sentence.translations.size(), 2U);
  EXPECT_EQ(sentence.translations[0].text, "ein Hund");
  EXPECT_EQ(sentence.translations[0].score, -0.4);
  EXPECT_THAT(sentence.translations[0].features, ElementsAre(-7, -1.5, -0.2, -3));
  EXPECT_EQ(sentence.translations[1].text, "ein |||  b");
  EXPECT_EQ(sentence.translations[1].score, -1);
  EXPECT_THAT(sentence.translations[1].features, ElementsAre(1, 2, 3, 4));
  ASSERT_TRUE(reader.next(sentence));
  ASSERT_EQ(sentence.translations.size(), 2U);
  EXPECT_EQ(sentence.translations[0].text, "eine Katze");
  EXPECT_THAT(sentence.translations[0].features, ElementsAre(5, 6, 7, 8));
  EXPECT_EQ(sentence.translations[1].text, "");
  EXPECT_EQ(sentence.translations[1].score, 1e-05);
  EXPECT_FALSE(reader.next(sentence));
}

TEST_F(NBestReaderTest, RefusesFeaturesThatAreBrokenOrDifferByFileAndLine) {
  const std::string good = "0 ||| x ||| F0= -1 ||| -1\n";
  for (const auto& [line, what] : std::vector<std::pair<std::string, std::string>>{
           {"0 ||| x ||| F0= ||| -1", "feature 'F0' has no value"},
           {"0 ||| x ||| F0= -1 y ||| -1", "feature 'F0' has the value 'y'"},
           {"0 ||| x ||| F0= nan ||| -1", "feature 'F0' has the value 'nan'"},
           {"0 ||| x ||| F0= -1 ||| y", "this is not"},
           {"0 ||| x ||| F0= -1 F1= 2 ||| -1",
            "the features are F0, F1, but those of the first line are F0"},
           {"0 ||| x ||| -1", "the features are none, but those of the first line are F0"}}) {
    EXPECT_THAT(problem(good + line + "\n", "a\n"), AllOf(HasSubstr("list:2: "), HasSubstr(what)));
  }
  EXPECT_THAT(problem("0 ||| x ||| F0= 1 F1= ||| -1\n", "a\n"),
              HasSubstr("list:1: feature 'F1' has no value"));
}

TEST_F(NBestReaderTest, ReadsJson) {
  const std::string list = write(
      "list",
      R"({"source": "a", "translations": [{"text": "x", "score": -1, "token_scores": [-1]}]})"
      "\n"
      R"({"source": "b", "translations": [{"text": "y", "score": -2}, {"text": "z", "score": -3}]})"
      "\n");
  EXPECT_THAT(read(list, ""), ElementsAre("a: [x] -1.0", "b: [y] -2.0 [z] -3.0"));
}

TEST_F(NBestReaderTest, NamesFileAndLineOfWrongLines) {
  const std::string source = "a\nb\nc\n";
  const char* const form = "this is not 'line ||| text ||| score'";
  for (const char* line : {"x", "0 ||| x", "0 ||| x ||| y", "x ||| x ||| -1", "0 ||| x ||| nan"})
    EXPECT_THAT(problem(std::string("0 ||| x ||| -1\n") + line + "\n", source),
                AllOf(HasSubstr("list:2: "), HasSubstr(form)))
        << line;
  EXPECT_THAT(problem("0 ||| x ||| -1\n2 ||| x ||| -1\n", source),
              AllOf(HasSubstr("list:2: line 1, counted from 0, has no translation"),
                    HasSubstr("source:2")));
  EXPECT_THAT(problem("0 ||| x ||| -1\n1 ||| x ||| -1\n0 ||| y ||| -2\n", source),
              HasSubstr("list:3: line 0 comes again"));
  EXPECT_THAT(
      problem("0 ||| x ||| -1\n1 ||| x ||| -1\n", source),
      AllOf(HasSubstr("list: line 2, counted from 0, has no translation"), HasSubstr("source:3")));
  EXPECT_THAT(problem("0 ||| x ||| -1\n1 ||| x ||| -1\n2 ||| x ||| -1\n3 ||| x ||| -1\n", source),
              AllOf(HasSubstr("list:4: a translation of line 3, but the source ends after 3 lines"),
                    HasSubstr("source:3")));
}

TEST_F(NBestReaderTest, NamesFileAndLineOfWrongJson) {
  const std::string good = R"({"source": "a", "translations": [{"text": "x", "score": -1}]})";
  for (const auto& [line, what] : std::vector<std::pair<std::string, std::string>>{
           {"{", "is not valid JSON"},
           {R"({"source": )" + std::string(100'000, '['), "levels deep"},
           {R"({"translations": [{"text": "x", "score": -1}]})", "source"},
           {R"({"source": "a", "translations": []})", "\"translations\" is empty"},
           {R"({"source": "a", "translations": [{"text": "x"}]})", "score"},
           {R"({"source": "a", "translations": [{"text": "x\ny", "score": 1}]})",
            "\"text\" has a line break"},
           {R"({"source": "a\rb", "translations": [{"text": "x", "score": 1}]})",
            "\"source\" has a line break"},
           {R"({"source": "a", "translations": [{"text": 1, "score": 1}]})", "text is 1"}})
    EXPECT_THAT(problem(good + "\n" + line + "\n", ""),
                AllOf(HasSubstr("list:2: "), HasSubstr(what)));
}

TEST_F(NBestReaderTest, TheFormDecidesAboutTheSource) {
  EXPECT_THAT(problem(R"({"source": "a", "translations": [{"text": "x", "score": -1}]})", "a\n"),
              HasSubstr("leave out --source"));
  EXPECT_THAT(problem("0 ||| x ||| -1\n", ""), HasSubstr("give them with --source"));
  EXPECT_THAT(read(write("list", ""), ""), testing::IsEmpty());
  EXPECT_THAT(read(write("list", ""), write("source", "")), testing::IsEmpty());
}

}  // namespace
}  // namespace dietmt::nmt
