#include "common/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/common/scratch.h"

namespace dietmt {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ConfigFileTest : public ScratchTest {
 protected:
  // The value of a file with this line.
  std::string value_of(const std::string& line) const {
    const std::vector<ConfigEntry> entries = read_config_file(write("config", line));
    EXPECT_EQ(entries.size(), 1U) << line;
    return entries.empty() ? "none" : entries.front().value;
  }

  std::string error_of(const std::string& content) const {
    try {
      read_config_file(write("config", content));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(ConfigFileTest, ANumberSignWithinAWordIsKept) {
  EXPECT_EQ(value_of("output = run#2"), "run#2");
  EXPECT_EQ(value_of("output=run#2#3  # the third"), "run#2#3");
  EXPECT_EQ(value_of(" output = two words\t# a comment\r\n"), "two words");
  EXPECT_EQ(value_of("position = shaw(k=16)"), "shaw(k=16)");
  EXPECT_EQ(value_of("output ="), "");
}

TEST_F(ConfigFileTest, QuotesKeepWhiteSpaceAndNumberSigns) {
  EXPECT_EQ(value_of(R"(tag = "#de")"), "#de");
  EXPECT_EQ(value_of(R"(tag = " a # b " # a comment)"), " a # b ");
  EXPECT_EQ(value_of(R"(tag = "\"\\\n")"), "\"\\\n");
  EXPECT_EQ(value_of(R"(tag = a "b")"), R"(a "b")");
}

TEST_F(ConfigFileTest, EveryValueReadsBack) {
  for (const std::string value :
       {"", "plain", "run#2", "#de", "a #b", "a\t#b", " leading", "trailing ", "\"quoted\"", "a\"b",
        "back\\slash", " \\n", "two\nlines", "a\r", "#\"\\", "=", "x = y", "\xff#"}) {
    EXPECT_EQ(value_of(config_line("name", value)), value);
  }
}

TEST_F(ConfigFileTest, AByteOrderMarkIsNoPartOfTheFirstName) {
  EXPECT_EQ(read_config_file(write("config", "\xEF\xBB\xBFoutput = run\n")).front().name, "output");
  EXPECT_THAT(read_config_file(write("config", "\xEF\xBB\xBF# a comment\n")), IsEmpty());
  EXPECT_THAT(error_of("\n\xEF\xBB\xBF\n"), HasSubstr(":2: "));  // only there
}

TEST_F(ConfigFileTest, MistakesNameTheLine) {
  const std::string config = (scratch() / "config").string();
  EXPECT_THAT(error_of("# one\n\ntag = #de\n"),
              HasSubstr("--config " + config + ":3: the value is missing; put quotes around"));
  EXPECT_THAT(error_of("flag\n"), HasSubstr(":1: 'flag' is not of the form: name = value"));
  EXPECT_THAT(error_of("= x\n"), HasSubstr(":1: '= x' is not of the form"));
  EXPECT_THAT(error_of("a = \"b\n"), HasSubstr("the closing quote is missing"));
  EXPECT_THAT(error_of("a = \"b\\\n"), HasSubstr("write a backslash inside quotes"));
  EXPECT_THAT(error_of("a = \"b\" c\n"), HasSubstr("text follows the closing quote"));
}

}  // namespace
}  // namespace dietmt
