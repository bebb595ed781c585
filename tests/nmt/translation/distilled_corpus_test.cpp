#include "nmt/translation/distilled_corpus.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/files.h"
#include "tests/common/scratch.h"

namespace dietmt::nmt {
namespace {

namespace fs = std::filesystem;

class DistilledCorpusTest : public ScratchTest {
 protected:
  std::string file(const std::string& name) const { return (scratch() / name).string(); }
  DistilledCorpus open() const { return {file("source"), file("target"), "settings"}; }
};

TEST_F(DistilledCorpusTest, ContinuesAfterTheLinesThatBothHave) {
  {
    DistilledCorpus text = open();
    text.write("a", "A");
    text.write("b", "B");
    text.flush();
  }
  DistilledCorpus text = open();
  EXPECT_EQ(text.lines(), 2);
  text.write("c", "C");
  text.commit();
  EXPECT_EQ(read_file(file("source")), "a\nb\nc\n");
  EXPECT_EQ(read_file(file("target")), "A\nB\nC\n");
}

// The process was killed after the target got its name.
TEST_F(DistilledCorpusTest, AStopBetweenTheTwoFilesLosesNothing) {
  {
    DistilledCorpus text = open();
    text.write("a", "A");
    text.write("b", "B");
    text.flush();
  }
  fs::rename(file("target.part"), file("target"));
  fs::last_write_time(file("target"), fs::file_time_type::clock::now());
  DistilledCorpus text = open();
  EXPECT_EQ(text.lines(), 2);
  text.commit();
  EXPECT_EQ(read_file(file("source")), "a\nb\n");
  EXPECT_EQ(read_file(file("target")), "A\nB\n");
  EXPECT_FALSE(fs::exists(file("target.part")));
  EXPECT_FALSE(fs::exists(file("target.part.settings")));
}

}  // namespace
}  // namespace dietmt::nmt
