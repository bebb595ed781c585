#include "common/options.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/common/scratch.h"

namespace dietmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Words = std::vector<std::string>;

struct Fields {
  std::string text = "default text";
  int64_t count = 5;
  double rate = 0.1;
  bool flag = false;
  Words files;
  std::vector<int64_t> gpus;
  std::vector<double> shares;
  std::optional<int64_t> limit;
  std::optional<std::string> tag;
};

class OptionsTest : public ScratchTest {
 protected:
  static OptionTable table_of(Fields& fields) {
    OptionTable table("demo", "--text TEXT", "Shows options.");
    table.group("First")
        .add("text", &fields.text, "TEXT", "some text")
        .add("count", &fields.count, "N", "a number")
        .add("rate", &fields.rate, "X", "a rate");
    table.group("Second")
        .add("flag", &fields.flag, "", "a switch")
        .add("files", &fields.files, "FILE...", "some files")
        .add("gpus", &fields.gpus, "N...", "some numbers")
        .add("shares", &fields.shares, "X...", "some more numbers")
        .add("limit", &fields.limit, "N", "a limit, or none")
        .add("tag", &fields.tag, "TAG", "a tag, or none");
    return table;
  }

  static Fields parsed(const Words& arguments) {
    Fields fields;
    EXPECT_EQ(table_of(fields).parse(arguments), OptionTable::Outcome::kRun);
    return fields;
  }

  static std::string error_of(const Words& arguments) {
    Fields fields;
    try {
      table_of(fields).parse(arguments);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  }

  static std::string printed(const Words& arguments) {
    Fields fields;
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(table_of(fields).parse(arguments), OptionTable::Outcome::kDone);
    return ::testing::internal::GetCapturedStdout();
  }
};

TEST_F(OptionsTest, DefaultsStay) {
  const Fields fields = parsed({});
  EXPECT_EQ(fields.text, "default text");
  EXPECT_EQ(fields.count, 5);
  EXPECT_EQ(fields.rate, 0.1);
  EXPECT_FALSE(fields.flag);
  EXPECT_THAT(fields.files, IsEmpty());
  EXPECT_THAT(fields.gpus, IsEmpty());
  EXPECT_THAT(fields.shares, IsEmpty());
  EXPECT_EQ(fields.limit, std::nullopt);
  EXPECT_EQ(fields.tag, std::nullopt);
}

TEST_F(OptionsTest, EveryTypeOfField) {
  const Fields fields =
      parsed({"--text", "two words", "--count=-7", "--rate", "2.5e-3", "--flag", "--files", "a",
              "-", "--gpus", "0", "3", "--shares", "0.5", "2", "--limit", "0", "--tag", "<2de>"});
  EXPECT_EQ(fields.text, "two words");
  EXPECT_EQ(fields.count, -7);
  EXPECT_EQ(fields.rate, 2.5e-3);
  EXPECT_TRUE(fields.flag);
  EXPECT_THAT(fields.files, ElementsAre("a", "-"));
  EXPECT_THAT(fields.gpus, ElementsAre(0, 3));
  EXPECT_THAT(fields.shares, ElementsAre(0.5, 2.0));
  EXPECT_EQ(fields.limit, 0);
  EXPECT_EQ(fields.tag, "<2de>");
}

TEST_F(OptionsTest, RepeatedListsAddUp) {
  EXPECT_THAT(parsed({"--files", "a", "b", "--count", "1", "--files", "c"}).files,
              ElementsAre("a", "b", "c"));
}

TEST_F(OptionsTest, MistakesAreConfigErrors) {
  EXPECT_THAT(error_of({"--unknown", "1"}), HasSubstr("--unknown"));
  EXPECT_THAT(error_of({"--cou", "1"}), HasSubstr("--cou"));  // no abbreviations
  EXPECT_THAT(error_of({"--count", "many"}), HasSubstr("many"));
  EXPECT_THAT(error_of({"--count", "1.5"}), HasSubstr("1.5"));
  EXPECT_THAT(error_of({"--count"}), HasSubstr("--count"));
  EXPECT_THAT(error_of({"--rate", "fast"}), HasSubstr("fast"));
  EXPECT_THAT(error_of({"stray"}), HasSubstr("see dietmt demo --help"));
  EXPECT_THAT(error_of({"--count", "1", "--count", "2"}), HasSubstr("--count"));
}

TEST_F(OptionsTest, TheConfigFileTakesTheSameNames) {
  const std::string file = write("config",
                                 "# a comment\ntext = from the file\ncount = 6\nflag = true\n"
                                 "files = x\nfiles = y\nlimit = 9\n");
  const Fields fields = parsed({"--config", file});
  EXPECT_EQ(fields.text, "from the file");
  EXPECT_EQ(fields.count, 6);
  EXPECT_TRUE(fields.flag);
  EXPECT_THAT(fields.files, ElementsAre("x", "y"));
  EXPECT_EQ(fields.limit, 9);
}

TEST_F(OptionsTest, TheCommandLineWins) {
  const std::string file = write("config", "count = 6\nrate = 3\nfiles = x\n");
  const Fields fields = parsed({"--config", file, "--count", "7", "--files", "a", "b"});
  EXPECT_EQ(fields.count, 7);
  EXPECT_EQ(fields.rate, 3);
  EXPECT_THAT(fields.files, ElementsAre("a", "b"));
}

TEST_F(OptionsTest, MistakesInTheConfigFile) {
  EXPECT_THAT(error_of({"--config", write("unknown", "speed = 3\n")}), HasSubstr("speed"));
  EXPECT_THAT(error_of({"--config", write("bad", "count = many\n")}), HasSubstr("many"));
  EXPECT_THAT(error_of({"--config", (scratch() / "absent").string()}), HasSubstr("absent"));
}

TEST_F(OptionsTest, GivenMeansByTheUser) {
  Fields fields;
  OptionTable table = table_of(fields);
  table.parse({"--config", write("config", "rate = 3\n"), "--count", "5"});
  EXPECT_TRUE(table.given("count"));
  EXPECT_TRUE(table.given("rate"));
  EXPECT_FALSE(table.given("text"));
}

TEST_F(OptionsTest, TheDumpedConfigReadsBack) {
  const Words arguments = {"--text", "two words", "--rate", "0.30000000000000004",
                           "--flag", "--files",   "a",      "b c",
                           "--gpus", "1",         "2",      "--limit",
                           "3",      "--shares",  "0.1",    "7",
                           "--tag",  "<bt>"};
  Words with_dump = arguments;
  with_dump.push_back("--dump-config");
  const std::string dump = printed(with_dump);
  const Fields expected = parsed(arguments);
  const Fields fields = parsed({"--config", write("dump", dump)});
  EXPECT_EQ(fields.text, expected.text);
  EXPECT_EQ(fields.count, expected.count);
  EXPECT_EQ(fields.rate, expected.rate);
  EXPECT_EQ(fields.flag, expected.flag);
  EXPECT_EQ(fields.files, expected.files);
  EXPECT_EQ(fields.gpus, expected.gpus);
  EXPECT_EQ(fields.shares, expected.shares);
  EXPECT_EQ(fields.limit, expected.limit);
  EXPECT_EQ(fields.tag, expected.tag);
}

TEST_F(OptionsTest, AnUnsetOptionalIsNotDumped) {
  EXPECT_THAT(printed({"--dump-config"}), Not(HasSubstr("limit")));
  EXPECT_THAT(printed({"--dump-config"}), HasSubstr("count = 5\n"));
}

TEST_F(OptionsTest, HelpShowsGroupsDefaultsAndPlaceholders) {
  for (const std::string flag : {"--help", "-h"}) {
    const std::string help = printed({flag});
    EXPECT_THAT(help, HasSubstr("usage: dietmt demo --text TEXT [options]"));
    EXPECT_THAT(help, HasSubstr("Shows options."));
    EXPECT_THAT(help, HasSubstr("\nFirst:\n"));
    EXPECT_THAT(help, HasSubstr("\nSecond:\n"));
    EXPECT_THAT(help, HasSubstr("--count N"));
    EXPECT_THAT(help, HasSubstr("a number (default: 5)"));
    EXPECT_THAT(help, HasSubstr("a rate (default: 0.1)"));
    EXPECT_THAT(help, Not(HasSubstr("a switch (default")));
    EXPECT_LT(help.find("First:"), help.find("Second:"));
  }
}

}  // namespace
}  // namespace dietmt
