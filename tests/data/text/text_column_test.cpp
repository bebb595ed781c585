#include "data/text/text_column.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "common/files.h"
#include "tests/common/scratch.h"

namespace dietmt::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TextColumnTest : public ScratchTest {
 protected:
  std::string written(const std::string& name, const std::string& text) const {
    write_file_atomically(scratch() / name, text);
    return (scratch() / name).string();
  }

  static std::vector<std::string> lines(const std::string& name) {
    TextReader reader(name);
    std::vector<std::string> all;
    for (std::string line; reader.next(line);) all.push_back(line);
    return all;
  }

  static std::string failure(const std::string& name) {
    try {
      lines(name);
      return "accepted";
    } catch (const DataError& error) {
      return error.what();
    }
  }
};

TEST_F(TextColumnTest, AreCountedFromOne) {
  const std::string file = written("text.tsv", "a b\tc\t\r\n\td e\tf\r\n");
  EXPECT_THAT(lines(file + ":1"), ElementsAre("a b", ""));
  EXPECT_THAT(lines(file + ":2"), ElementsAre("c", "d e"));
  EXPECT_THAT(lines(file + ":3"), ElementsAre("", "f"));
  EXPECT_THAT(lines(file), ElementsAre("a b\tc\t\r", "\td e\tf\r"));
  EXPECT_THROW(lines(file + ":0"), ConfigError);
}

TEST_F(TextColumnTest, AreNoneInTheNameOfAFile) {
  const std::string file = written("part:2", "a\tb\n");
  EXPECT_THAT(lines(file), ElementsAre("a\tb"));
  EXPECT_THAT(lines(file + ":2"), ElementsAre("b"));
  for (const char* name : {"a", "a:", "a:b", "a:-1", "a:1x", "a:99999999999999999999"})
    EXPECT_EQ(TextColumn(name).file, name);
}

TEST_F(TextColumnTest, MissingOnesAreNamedWithTheLine) {
  const std::string file = written("text.tsv", "a\tb\nc\n");
  EXPECT_EQ(failure(file + ":2"), file + ":2: the line has 1 column, but the text is in column 2");
  EXPECT_EQ(failure(file + ":3"), file + ":1: the line has 2 columns, but the text is in column 3");
  const std::string longer = written("long.tsv", std::string(kMaxLineBytes + 1, 'x') + "\tb\n");
  EXPECT_THAT(failure(longer + ":2"), HasSubstr("1 column in its first 1048576 bytes"));
}

}  // namespace
}  // namespace dietmt::data
