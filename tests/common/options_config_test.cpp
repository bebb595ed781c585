// Options in config files, and --dump-config.
#include <gmock/gmock.h>

#include <cstdlib>
#include <utility>

#include "tests/common/options_fixture.h"

namespace dietmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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

// The variables of a command that reads them, for one parse.
class Variables {
 public:
  explicit Variables(std::vector<std::pair<std::string, std::string>> values)
      : values_(std::move(values)) {
    for (const auto& [name, value] : values_) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Variables() {
    for (const auto& [name, value] : values_) unsetenv(name.c_str());
  }

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

TEST_F(OptionsTest, TheEnvironmentComesBetweenCommandLineAndConfigFile) {
  const std::string file = write("config", "count = 6\nrate = 3\ntext = file\n");
  const Variables variables({{"DEMO_COUNT", "7"},
                             {"DEMO_RATE", "4"},
                             {"DEMO_FILES", "x  y"},
                             {"DEMO_FLAG", "true"},
                             {"DEMO_CONFIG", file},
                             {"DEMO_UNKNOWN", "1"}});
  Fields fields;
  OptionTable table = table_of(fields);
  EXPECT_EQ(table.environment("DEMO_").parse({"--rate", "5"}), OptionTable::Outcome::kRun);
  EXPECT_EQ(fields.count, 7);
  EXPECT_EQ(fields.rate, 5);
  EXPECT_EQ(fields.text, "file");
  EXPECT_TRUE(fields.flag);
  EXPECT_THAT(fields.files, ElementsAre("x", "y"));
  EXPECT_EQ(parsed({}).count, 5) << "other commands do not read it";
}

TEST_F(OptionsTest, MistakesInTheEnvironmentNameTheVariable) {
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"DEMO_COUNT", "many"}, {"DEMO_FLAG", ""}, {"DEMO_FLAG", "maybe"}}) {
    const Variables variables({{name, value}});
    Fields fields;
    OptionTable table = table_of(fields);
    try {
      table.environment("DEMO_").parse({});
      ADD_FAILURE() << name;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
    }
  }
}

TEST_F(OptionsTest, MistakesInTheConfigFile) {
  EXPECT_THAT(error_of({"--config", write("unknown", "speed = 3\n")}), HasSubstr("speed"));
  EXPECT_THAT(error_of({"--config", write("line", "rate = 1\nspeed = 3\n")}),
              HasSubstr("line:2: unknown option --speed"));
  EXPECT_THAT(error_of({"--config", write("bad", "count = many\n")}), HasSubstr("many"));
  EXPECT_THAT(error_of({"--config", write("help", "help = true\n")}),
              HasSubstr("help:1: help works only on the command line"));
  EXPECT_THAT(error_of({"--config", (scratch() / "absent").string()}), HasSubstr("absent"));
}

TEST_F(OptionsTest, TheLastOfTwoConfigLinesCounts) {
  const std::string file = write("twice", "rate = 1\nrate = 2\n");
  EXPECT_EQ(parsed({"--config", file}).rate, 2);
  EXPECT_EQ(parsed({"--config", file, "--rate", "3"}).rate, 3);
  EXPECT_EQ(parsed({"--config", write("other", "rate = 5\n"), "--config", file}).rate, 2);
}

TEST_F(OptionsTest, MalformedValuesNameTheirLine) {
  const std::string file = write("bad", "rate = 1\ncount = many\n");
  EXPECT_EQ(error_of({"--config", file}),
            "--config " + file +
                ":2: count is 'many'; it must be a whole number from -1000000000 to "
                "1000000000");
}

TEST_F(OptionsTest, AFlagInTheConfigFileNeedsAValue) {
  EXPECT_FALSE(parsed({"--config", write("off", "flag = false\n")}).flag);
  EXPECT_THAT(error_of({"--config", write("empty", "rate = 1\nflag =\n")}),
              HasSubstr("empty:2: flag has no value; write true or false"));
  EXPECT_EQ(parsed({"--config", write("text", "text =\n")}).text, "");
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
                           "--flag", "--files",   "a#1",    " b # c",
                           "--gpus", "1",         "2",      "--limit",
                           "3",      "--shares",  "0.1",    "7",
                           "--tag",  "#de"};
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

TEST_F(OptionsTest, TheDumpedConfigGivesNoOtherOptions) {
  Fields fields;
  OptionTable table = table_of(fields);
  const Words arguments = {"--count", "5", "--dump-config"};
  const std::string dump = printed(arguments);
  EXPECT_THAT(dump, HasSubstr("\ncount = 5\n"));
  EXPECT_THAT(dump, HasSubstr("\n# rate = 0.1\n"));
  table.parse({"--config", write("dump", dump)});
  EXPECT_TRUE(table.given("count"));
  for (const char* name : {"text", "rate", "flag", "files"})
    EXPECT_FALSE(table.given(name)) << name;
  EXPECT_EQ(printed({"--config", write("dump", dump), "--dump-config"}), dump);
}

TEST_F(OptionsTest, AnUnsetOptionalIsNotDumped) {
  EXPECT_THAT(printed({"--dump-config"}), Not(HasSubstr("limit")));
  EXPECT_THAT(printed({"--dump-config"}), HasSubstr("# count = 5\n"));
}

}  // namespace
}  // namespace dietmt
