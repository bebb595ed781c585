// Short options, negated flags, repeated options and words without an option.
#include "common/option_words.h"

#include <gmock/gmock.h>

#include "common/foreign_options.h"
#include "tests/common/options_fixture.h"

namespace dietmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct TypedFields {
  std::string model, input = "-";
  int64_t beam = 5;
  bool scores = false, no_header = false;
  Words output;
};

OptionTable typed_table(TypedFields& fields) {
  OptionTable table("demo", "--model DIR", "Shows short options.");
  table.add("model", &fields.model, "DIR", "a directory", {.required = true})
      .add("input", &fields.input, "FILE", "a file")
      .add("beam", &fields.beam, "N", "a number", {.least = 1, .most = 10})
      .add("scores", &fields.scores, "", "a switch")
      .add("no-header", &fields.no_header, "", "a switch that is negative")
      .add("output", &fields.output, "FILE...", "some files");
  table.positional("input");
  return table;
}

class OptionWordsTest : public ScratchTest {
 protected:
  static TypedFields parsed(const Words& arguments) {
    TypedFields fields;
    EXPECT_EQ(typed_table(fields).parse(arguments), OptionTable::Outcome::kRun);
    return fields;
  }
  static std::string error_of(const Words& arguments) {
    TypedFields fields;
    OptionTable table = typed_table(fields);
    try {
      table.parse(arguments);
      table.check();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(OptionWordsTest, ShortOptions) {
  const TypedFields fields = parsed({"-m", "en-de", "-b4", "-i=text", "-o", "a", "b"});
  EXPECT_EQ(fields.model, "en-de");
  EXPECT_EQ(fields.beam, 4);
  EXPECT_EQ(fields.input, "text");
  EXPECT_THAT(fields.output, ElementsAre("a", "b"));
}

TEST_F(OptionWordsTest, MessagesNameWhatWasTyped) {
  EXPECT_EQ(error_of({"-b", "x"}), "-b is 'x'; it must be a whole number from 1 to 10");
  EXPECT_EQ(error_of({"-m", "m", "-b", "11"}), "-b is 11; it must be from 1 to 10");
  EXPECT_EQ(error_of({"-m", "m", "--beam", "11"}), "--beam is 11; it must be from 1 to 10");
  EXPECT_EQ(error_of({"-m"}), "-m needs a value: -m DIR");
  EXPECT_EQ(error_of({"-m", "-b", "4"}), "-m needs a value: -m DIR");
  EXPECT_EQ(error_of({"-x"}), "unknown option -x; see dietmt demo --help-all");
  EXPECT_EQ(error_of({"-beam", "4"}), "unknown option -beam; did you mean --beam?");
}

TEST_F(OptionWordsTest, FlagsCanBeNegated) {
  EXPECT_TRUE(parsed({"--scores"}).scores);
  EXPECT_TRUE(parsed({"--scores=yes"}).scores);
  EXPECT_TRUE(parsed({"--no-scores=false"}).scores);
  EXPECT_FALSE(parsed({"--scores=false"}).scores);
  EXPECT_FALSE(parsed({"--scores", "--no-scores"}).scores);
  EXPECT_TRUE(parsed({"--no-header"}).no_header);
  EXPECT_FALSE(parsed({"--no-header", "--header"}).no_header);
  EXPECT_EQ(error_of({"--scores=maybe"}), "--scores is 'maybe'; it must be true or false");
  EXPECT_THAT(error_of({"--no-beam"}), HasSubstr("unknown option --no-beam"));
}

TEST_F(OptionWordsTest, TheLastOfTwoValuesCounts) {
  EXPECT_EQ(parsed({"-b", "3", "--beam", "4"}).beam, 4);
  ::testing::internal::CaptureStderr();
  parsed({"-b", "3", "--beam", "3"});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(OptionWordsTest, WordsWithoutAnOption) {
  EXPECT_EQ(parsed({"text"}).input, "text");
  EXPECT_EQ(parsed({"--scores", "text", "-b", "4"}).input, "text");
  EXPECT_EQ(parsed({"-o", "a", "b", "--", "--text"}).input, "--text");
  EXPECT_EQ(error_of({"text", "more"}),
            "unexpected argument 'more': --input is given already, as 'text'; usage: dietmt demo "
            "--model DIR; see dietmt demo --help-all");
  EXPECT_THAT(error_of({"-i", "text", "more"}), HasSubstr("unexpected argument 'more'"));
}

TEST_F(OptionWordsTest, ValuesThatBeginWithAHyphen) {
  EXPECT_EQ(parsed({"-i", "-"}).input, "-");
  EXPECT_EQ(parsed({"-i", "--text"}).input, "--text");
  EXPECT_EQ(error_of({"-m", "m", "-b", "-1"}), "-b is -1; it must be from 1 to 10");
}

TEST_F(OptionWordsTest, ValuesMayEndInTheLetterOfAnOption) {
  EXPECT_EQ(parsed({"--model", "en"}).model, "en");
  EXPECT_EQ(parsed({"-m", "zh", "--input", "ab"}).input, "ab");
}

TEST(ForeignOption, LeadsToOursIfTheCommandHasIt) {
  const Words ours = {"learning-rate", "batch-tokens", "patience", "valid-interval"};
  EXPECT_EQ(foreign_option("lr", ours), "; use --learning-rate");
  EXPECT_EQ(foreign_option("mini-batch-words", ours), "; use --batch-tokens, in tokens");
  EXPECT_EQ(foreign_option("validate-interval-updates", ours), "; use --valid-interval");
  EXPECT_THAT(foreign_option("source-lang", ours), HasSubstr("languages that it was trained on"));
  EXPECT_EQ(foreign_option("beam-size", ours), "");
  EXPECT_EQ(foreign_option("", ours), "");
  EXPECT_EQ(foreign_option("lr learn-rate", ours), "");
}

}  // namespace
}  // namespace dietmt
