#include "common/text_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>

#include "common/error.h"
#include "common/memory_use.h"
#include "tests/common/gzipped.h"
#include "tests/common/scratch.h"
#include "tests/common/standard_input.h"

namespace dietmt {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Text that does not compress well.
std::string noise_lines(int lines) {
  std::string text;
  uint32_t state = 1;
  for (int i = 0; i < lines; ++i) {
    for (int j = 0; j < 60; ++j)
      text += static_cast<char>('a' + ((state = state * 1664525 + 1013904223) >> 24) % 26);
    text += '\n';
  }
  return text;
}

class LineReaderTest : public ScratchTest {};

TEST_F(LineReaderTest, LinesEndInLfOnly) {
  const std::string text =
      "a\0b\n\nc\rd\r\ne\xC2\x85"
      "f\xE2\x80\xA8g\x0B\x0Ch\nlast"s;
  EXPECT_THAT(read_lines(write("plain", text)), ElementsAre(std::string("a\0b", 3), "", "c\rd\r",
                                                            "e\xC2\x85"
                                                            "f\xE2\x80\xA8g\x0B\x0Ch",
                                                            "last"));
}

TEST_F(LineReaderTest, TheFinalLineFeedEndsTheLastLine) {
  EXPECT_THAT(read_lines(write("one", "a\n")), ElementsAre("a"));
  EXPECT_THAT(read_lines(write("two", "a\n\n")), ElementsAre("a", ""));
  EXPECT_THAT(read_lines(write("none", "")), ElementsAre());
}

TEST_F(LineReaderTest, LongLinesAreWhole) {
  const std::string line(3'000'000, 'x');
  EXPECT_THAT(read_lines(write("long", line + "\ny\n")), ElementsAre(line, "y"));
  EXPECT_THAT(read_lines(write("long.gz", gzipped(line + "\ny\n"))), ElementsAre(line, "y"));
}

TEST_F(LineReaderTest, LongerLinesThanAskedForAreRefused) {
  const std::string text = "1234\n12345\n1\n";
  for (const std::string& path : {write("long", text), write("long.gz", gzipped(text))}) {
    EXPECT_NO_THROW({
      LineReader reader(path, 5);
      for (std::string line; reader.next(line);) continue;
    });
    LineReader reader(path, 4);
    std::string line;
    EXPECT_TRUE(reader.next(line));
    EXPECT_THROW(reader.next(line), DataError);
  }
  LineReader endless(write("endless", std::string(1 << 20, 'x')), 1000);
  std::string line;
  EXPECT_THROW(endless.next(line), DataError);
}

TEST_F(LineReaderTest, LongerLinesThanAskedForAreCutBetweenCharacters) {
  const std::string text = "1234\n12345\nabc\xC3\xA4z\n1\n" + std::string(300'000, 'x');
  for (const std::string& path : {write("long", text), write("long.gz", gzipped(text))}) {
    LineReader reader(path, 4, LongLines::kCut);
    std::vector<std::string> lines;
    std::vector<size_t> cut;
    for (std::string line; reader.next(line);) {
      lines.push_back(line);
      cut.push_back(reader.bytes_cut());
    }
    EXPECT_THAT(lines, ElementsAre("1234", "1234", "abc", "1", "xxxx"));
    EXPECT_THAT(cut, ElementsAre(0U, 1U, 3U, 0U, 299'996U));
    EXPECT_EQ(reader.line_number(), 5);
    EXPECT_FALSE(reader.ended_in_lf());
  }
}

TEST_F(LineReaderTest, TheRestOfACutLineIsNotHeldInMemory) {
  constexpr size_t kLength = 400 << 20;
  const std::string path = write("zeros", "");
  std::filesystem::resize_file(path, kLength);  // takes no room on the disk
  const int64_t before = peak_memory();
  LineReader reader(path, 1000, LongLines::kCut);
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line.size(), 1000U);
  EXPECT_EQ(reader.bytes_cut(), kLength - 1000);
  EXPECT_FALSE(reader.next(line));
  EXPECT_LT(peak_memory() - before, 50 << 20);
}

TEST_F(LineReaderTest, TellsWhetherTheLastLineHasItsLf) {
  for (const bool complete : {true, false}) {
    LineReader reader(write("file", complete ? "a\n\n" : "a\n\nb"));
    for (std::string line; reader.next(line);)
      EXPECT_EQ(reader.ended_in_lf(), complete || reader.line_number() < 3);
  }
}

TEST_F(LineReaderTest, GzipIsRecognisedByContent) {
  EXPECT_THAT(read_lines(write("text.txt", gzipped("a\nb\n"))), ElementsAre("a", "b"));
  EXPECT_THAT(read_lines(write("plain.gz", "a\nb\n")), ElementsAre("a", "b"));
  EXPECT_THAT(read_lines(write("short", "\x1f")), ElementsAre("\x1f"));
}

TEST_F(LineReaderTest, ZeroPaddingAfterGzipIsAllowed) {
  EXPECT_THAT(read_lines(write("padded", gzipped("a\n") + std::string(512, '\0'))),
              ElementsAre("a"));
}

TEST_F(LineReaderTest, TruncatedGzipGivesItsLinesThenFails) {
  const std::string bytes = gzipped(noise_lines(5000));
  LineReader reader(write("cut.gz", bytes.substr(0, bytes.size() / 2)));
  std::string line;
  int64_t lines = 0;
  try {
    while (reader.next(line)) {
      EXPECT_EQ(line.size(), 60U);
      ++lines;
    }
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_GT(lines, 1000);
    EXPECT_THAT(error.what(), HasSubstr("cut.gz:" + std::to_string(lines + 1) + ": "));
    EXPECT_THAT(error.what(), HasSubstr("cut short"));
  }
}

TEST_F(LineReaderTest, MissingFilesAndDirectoriesAreDataErrors) {
  EXPECT_THROW(LineReader((scratch() / "absent").string()), DataError);
  EXPECT_THROW(read_lines(scratch().string()), DataError);
}

TEST_F(LineReaderTest, WhereNamesTheLine) {
  LineReader reader(write("named", "a\nb\n"));
  std::string line;
  reader.next(line);
  reader.next(line);
  EXPECT_EQ(reader.line_number(), 2);
  EXPECT_EQ(reader.where(), (scratch() / "named").string() + ":2");
}

// Would hang, and fail by the time limit, if the reader waited for more than a line.
TEST(StandardInputTest, ALineIsGivenAsSoonAsItHasArrived) {
  StandardInput input;
  LineReader reader("-");
  for (const std::string text : {"h", "hello", ""}) {
    input.send(text + "\n");
    auto line = std::async(std::launch::async, [&] {
      std::string got;
      return reader.next(got) ? got : "<end>";
    });
    const auto status = line.wait_for(std::chrono::seconds(60));
    if (status != std::future_status::ready) input.close();  // releases the reader
    ASSERT_EQ(status, std::future_status::ready);
    EXPECT_EQ(line.get(), text);
  }
  input.send("no line feed");
  input.close();
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "no line feed");
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.where(), "<stdin>:4");
}

TEST(Utf8Test, WellFormedText) {
  for (const std::string_view text :
       {"", "plain ASCII of more than eight bytes", "\xC3\xA4", "\xE0\xA0\x80", "\xED\x9F\xBF",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(invalid_utf8_at(text), std::string_view::npos) << text;
    EXPECT_EQ(replace_invalid_utf8(text), text);
  }
  EXPECT_EQ(invalid_utf8_at(std::string_view("\0\x7F", 2)), std::string_view::npos);
}

TEST(Utf8Test, IllFormedText) {
  for (const std::string_view text :
       {"\x80", "\xC0\xAF", "\xC1\xBF", "\xC3", "\xE0\x9F\x80", "\xE2\x82", "\xED\xA0\x80",
        "\xF0\x8F\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3\x28"}) {
    EXPECT_EQ(invalid_utf8_at(text), 0U) << testing::PrintToString(text);
    EXPECT_EQ(invalid_utf8_at("0123456789" + std::string(text)), 10U);
  }
}

// The examples of Unicode 15, section 3.9, tables 3-8 to 3-11.
TEST(Utf8Test, NoLineHasNul) {
  const std::string line("tr\0ain \xff\0", 9), replacement = "\uFFFD";
  EXPECT_EQ(unreadable_at(line), 2U);
  EXPECT_EQ(unreadable_problem(line, 2), "has a NUL at byte 3");
  EXPECT_EQ(unreadable_problem(line, 7), "not UTF-8 at byte 8");
  EXPECT_EQ(replace_unreadable(line), "tr" + replacement + "ain " + replacement + replacement);
  EXPECT_EQ(unreadable_at("train \xff"), 6U);
  EXPECT_EQ(unreadable_at("train"), std::string_view::npos);
}

TEST(Utf8Test, ReplacementFollowsUnicode) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(replace_invalid_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(replace_invalid_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(replace_invalid_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
            r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(replace_invalid_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
}

}  // namespace
}  // namespace dietmt
