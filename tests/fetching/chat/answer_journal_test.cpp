#include "fetching/chat/answer_journal.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "common/files.h"
#include "common/temporary_directory.h"

namespace dietmt::fetching {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class AnswerJournalTest : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
  const std::string file_ = directory_.path() + "/student.answers";
  const std::string part_ = file_ + ".part";
};

TEST_F(AnswerJournalTest, KeepsAnswersInAnyOrder) {
  {
    AnswerJournal journal(file_, "model a\n");
    journal.add({.line = 3, .texts = {"drei", "3"}, .input_tokens = 5, .output_tokens = 2});
    journal.add({.line = 1, .problem = "empty", .input_tokens = 4, .output_tokens = 1});
  }
  AnswerJournal journal(file_, "model a\n");
  EXPECT_EQ(journal.kept(), 1);
  EXPECT_TRUE(journal.has(3));
  EXPECT_FALSE(journal.has(1)) << "a line that was left out is asked about again";
  EXPECT_FALSE(journal.has(4));
  journal.add({.line = 1, .texts = {"eins"}, .input_tokens = 4, .output_tokens = 1});
  EXPECT_THAT(journal.of(1).texts, ElementsAre("eins"));
  EXPECT_THAT(journal.of(2).texts, IsEmpty());
  EXPECT_THAT(journal.of(3).texts, ElementsAre("drei", "3"));
  EXPECT_EQ(journal.input_tokens(), 13);
  EXPECT_EQ(journal.output_tokens(), 4);
  journal.remove();
  EXPECT_FALSE(std::filesystem::exists(part_));
}

TEST_F(AnswerJournalTest, ForgetsAnEntryThatAStopHasCut) {
  {
    AnswerJournal journal(file_, "model a\n");
    journal.add({.line = 1, .texts = {"eins"}});
  }
  std::ofstream(part_, std::ios::app) << R"({"line": 2, "te)";
  {
    AnswerJournal journal(file_, "model a\n");
    EXPECT_FALSE(journal.has(2));
    journal.add({.line = 2, .texts = {"zwei"}});
  }
  const AnswerJournal journal(file_, "model a\n");
  EXPECT_THAT(journal.of(2).texts, ElementsAre("zwei"));
}

TEST_F(AnswerJournalTest, RefusesAnswersToOtherQuestionsAndKeepsThem) {
  { AnswerJournal(file_, "model a\nseed 1\n").add({.line = 1, .texts = {"eins"}}); }
  EXPECT_THAT([&] { AnswerJournal(file_, "model a\nseed 2\n"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("student.answers.part:1"),
                                         HasSubstr("'seed 1' there, 'seed 2' now"))));
  EXPECT_TRUE(AnswerJournal(file_, "model a\nseed 1\n").has(1));
}

TEST_F(AnswerJournalTest, NamesADamagedLine) {
  { AnswerJournal(file_, "a\n").add({.line = 1, .texts = {"eins"}}); }
  for (const char* const entry :
       {"damaged", R"({"line": 0})", R"({"line": "1"})", R"({"line": 1, "texts": 5})"}) {
    const std::string before = read_file(part_);
    std::ofstream(part_, std::ios::app) << entry << '\n';
    EXPECT_THAT([&] { AnswerJournal(file_, "a\n"); }, ThrowsMessage<Error>(HasSubstr(".part:3")))
        << entry;
    write_file_atomically(part_, before);
  }
}

}  // namespace
}  // namespace dietmt::fetching
