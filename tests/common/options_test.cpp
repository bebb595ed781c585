#include "common/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/common/options_fixture.h"

namespace dietmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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
  EXPECT_EQ(error_of({"--count", "many"}),
            "--count is 'many'; it must be a whole number from -1000000000 to 1000000000");
  EXPECT_THAT(error_of({"--count", "1.5"}), HasSubstr("1.5"));
  EXPECT_THAT(error_of({"--count"}), HasSubstr("--count"));
  EXPECT_THAT(error_of({"--rate", "fast"}), HasSubstr("fast"));
  EXPECT_THAT(error_of({"stray"}), HasSubstr("see dietmt demo --help"));
  EXPECT_EQ(error_of({"--count"}), "--count needs a value: --count N");
}

TEST_F(OptionsTest, MalformedNumbersAreReportedTogether) {
  const std::string problems =
      error_of({"--count", "9223372036854775808", "--rate", "1e999", "--gpus", "1", "0x2"});
  EXPECT_THAT(problems, HasSubstr("--count is '9223372036854775808'; it must be a whole number"));
  EXPECT_THAT(problems, HasSubstr("--rate is '1e999'; it must be a number from"));
  EXPECT_THAT(problems, HasSubstr("--gpus is '0x2'; it must be a whole number"));
}

TEST_F(OptionsTest, UnknownOptionsGetASuggestion) {
  EXPECT_EQ(error_of({"--cuont", "1"}), "unknown option --cuont; did you mean --count?");
  EXPECT_EQ(error_of({"--something-else", "1"}),
            "unknown option --something-else; see dietmt demo --help-all");
  EXPECT_EQ(error_of({"-count", "1"}), "unknown option -count; did you mean --count?");
  EXPECT_THAT(error_of({"--config", write("close", "ratte = 3\n")}),
              HasSubstr("unknown option --ratte; did you mean --rate?"));
}

struct RuledFields {
  std::string output;
  Words inputs;
  std::string norm = "post";
  int64_t beam = 5;
  std::optional<int64_t> port;
  double dropout = 0.1;
  std::vector<double> shares;
};

OptionTable ruled_table(RuledFields& fields) {
  OptionTable table("demo", "--output DIR", "Shows rules.");
  table.add("output", &fields.output, "DIR", "a directory", {.required = true})
      .add("inputs", &fields.inputs, "FILE...", "some files", {.required = true})
      .add("norm", &fields.norm, "", "a position", {.choices = {"post", "pre", "none"}})
      .add("beam", &fields.beam, "N", "a number", {.least = 1})
      .add("port", &fields.port, "N", "a port", {.least = 0, .most = 65535})
      .add("dropout", &fields.dropout, "P", "a probability", {.least = 0, .below = 1})
      .add("shares", &fields.shares, "X...", "some shares", {.above = 0});
  return table;
}

// Problems reported by check(), one line each.
std::string problems_of(const Words& arguments, const Words& others = {}) {
  RuledFields fields;
  OptionTable table = ruled_table(fields);
  table.parse(arguments);
  try {
    table.check(others);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST_F(OptionsTest, RulesAllowWhatTheySay) {
  EXPECT_EQ(problems_of({"--output", "o", "--inputs", "-"}), "");
  EXPECT_EQ(problems_of({"--output", "o", "--inputs", "-", "--norm", "none", "--beam", "1",
                         "--port", "65535", "--dropout", "0", "--shares", "1e-9", "2"}),
            "");
}

TEST_F(OptionsTest, AllBrokenRulesAreReportedTogether) {
  const std::string problems = problems_of({"--norm", "middle", "--beam", "0", "--port", "65536",
                                            "--dropout", "1", "--shares", "0.5", "0"});
  for (const char* problem :
       {"--output is missing: give --output DIR", "--inputs is missing: give --inputs FILE...",
        "--norm is 'middle'; it must be post, pre or none",
        "--beam is 0; it must be from 1 to 1000000000",
        "--port is 65536; it must be from 0 to 65535",
        "--dropout is 1; it must be at least 0 and below 1",
        "--shares is 0; it must be above 0 and at most 1000000000"}) {
    EXPECT_THAT(problems, HasSubstr(problem));
  }
}

TEST_F(OptionsTest, ANewPathMustNotExist) {
  const auto problem = [](const std::string& path) -> std::string {
    std::string output;
    OptionTable table("demo", "", "");
    table.add("output", &output, "DIR", "a directory", {.is_new = true});
    table.parse({"--output", path});
    try {
      table.check();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem((scratch() / "new").string()), "");
  EXPECT_EQ(problem(scratch().string()),
            "--output " + scratch().string() + " exists already: choose a new path");
  const std::string link = (scratch() / "link").string();
  std::filesystem::create_symlink("nowhere", link);
  EXPECT_EQ(problem(link), "--output " + link + " exists already: choose a new path");
}

TEST_F(OptionsTest, NoBoundAllowsNan) {
  EXPECT_THAT(problems_of({"--output", "o", "--inputs", "-", "--dropout", "nan"}),
              HasSubstr("--dropout is nan"));
}

TEST_F(OptionsTest, TheCommandsOwnProblemsAreAddedToThem) {
  const std::string problems =
      problems_of({"--inputs", "-", "--beam", "0"},
                  {"--beam must not be zero", "--beam-size is wrong", "no option at all"});
  EXPECT_THAT(problems, HasSubstr("--output is missing"));
  EXPECT_THAT(problems, HasSubstr("--beam-size is wrong"));
  EXPECT_THAT(problems, HasSubstr("no option at all"));
  EXPECT_THAT(problems, Not(HasSubstr("must not be zero")));  // the table says it
}

TEST_F(OptionsTest, HelpShowsTheRules) {
  RuledFields fields;
  const std::string help = ruled_table(fields).help(true);
  EXPECT_THAT(help, HasSubstr("a directory (required)"));
  EXPECT_THAT(help, HasSubstr("--norm post|pre|none"));
  EXPECT_THAT(help, HasSubstr("a position (default: post)"));
  EXPECT_THAT(help, HasSubstr("a number (default: 5)"));
  EXPECT_THAT(help, HasSubstr("a port\n"));
  EXPECT_THAT(help, HasSubstr("a probability (at least 0 and below 1; default: 0.1)"));
}

TEST_F(OptionsTest, HelpShowsTheBasicAndRequiredOptions) {
  RuledFields fields;
  OptionTable table = ruled_table(fields);
  table.basics({"beam"}).example("dietmt demo --output model");
  const std::string help = table.help(false), all = table.help(true);
  EXPECT_THAT(help, HasSubstr("--output DIR"));
  EXPECT_THAT(help, HasSubstr("--beam N"));
  EXPECT_THAT(help, Not(HasSubstr("--dropout")));
  EXPECT_THAT(help, HasSubstr("\nExample:\n  dietmt demo --output model\n"));
  EXPECT_THAT(help, HasSubstr("4 more options: dietmt demo --help-all\n"));
  EXPECT_THAT(all, HasSubstr("--dropout P"));
  EXPECT_THAT(all, Not(HasSubstr("more options:")));
  const auto described = nlohmann::json::parse(table.describe());
  EXPECT_EQ(described["options"][3]["basic"], true);
  EXPECT_EQ(described["options"][5]["basic"], false);
  EXPECT_EQ(described["examples"], Words{"dietmt demo --output model"});
}

TEST_F(OptionsTest, SeedsHaveAllWholeNumbers) {
  int64_t seed = 1;
  OptionTable table("demo", "", "");
  table.add("seed", &seed, "N", "a seed", ranges::kSeed);
  table.parse({"--seed", "9223372036854775807"});
  EXPECT_NO_THROW(table.check());
  EXPECT_EQ(seed, INT64_MAX);
  const auto described = nlohmann::json::parse(table.describe());
  EXPECT_EQ(described["options"][0]["most"], INT64_MAX);
}

TEST_F(OptionsTest, DescribesItselfAsJson) {
  RuledFields fields;
  const auto described = nlohmann::json::parse(ruled_table(fields).describe());
  EXPECT_EQ(described["command"], "demo");
  const auto& options = described["options"];
  ASSERT_EQ(options.size(), 7U + 7U);
  EXPECT_EQ(options[0]["name"], "output");
  EXPECT_EQ(options[0]["required"], true);
  EXPECT_EQ(options[1]["list"], true);
  EXPECT_EQ(options[2]["choices"], (Words{"post", "pre", "none"}));
  EXPECT_EQ(options[3]["type"], "integer");
  EXPECT_EQ(options[3]["least"], 1);
  EXPECT_EQ(options[3]["most"], 1'000'000'000);
  EXPECT_EQ(options[4]["most"], 65535);
  EXPECT_EQ(options[5]["default"], Words{"0.1"});
  EXPECT_EQ(options[5]["below"], 1);
  EXPECT_EQ(options[6]["above"], 0);
  EXPECT_EQ(options[9]["name"], "quiet");
  EXPECT_EQ(options[11]["name"], "help");
  EXPECT_EQ(printed({"--help-json"}).substr(0, 1), "{");
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
    EXPECT_THAT(help, HasSubstr("default: 0.1)"));
    EXPECT_THAT(help, Not(HasSubstr("a switch (default")));
    EXPECT_LT(help.find("First:"), help.find("Second:"));
  }
}

const std::vector<std::string> kWords = {"train", "translate", "tokenizer", "beam", "best"};

TEST(Suggestion, IsTheNearestWord) {
  EXPECT_EQ(suggestion("trnslate", kWords), "; did you mean translate?");
  EXPECT_EQ(suggestion("tarin", kWords), "; did you mean train?");  // swapped letters: one edit
  EXPECT_EQ(suggestion("bean", kWords, "--"), "; did you mean --beam?");
  EXPECT_EQ(suggestion("tokeniser", kWords), "; did you mean tokenizer?");
}

TEST(Suggestion, IsEmptyIfNoWordIsNear) {
  EXPECT_EQ(suggestion("evaluate", kWords), "");
  EXPECT_EQ(suggestion("", kWords), "");
  EXPECT_EQ(suggestion(std::string(100'000, 'x'), kWords), "");
  EXPECT_EQ(suggestion("x", {}), "");
}

}  // namespace
}  // namespace dietmt
