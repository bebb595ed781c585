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
  // "SOURCE: TEXT SCORE, TEXT SCORE" of each sentence.
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
