#include "nmt/training/validation_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "common/files.h"
#include "tests/common/scratch.h"

namespace dietmt::nmt {
namespace {

using ::testing::ElementsAre;
using Lines = std::vector<std::string>;

class ValidationScoresTest : public ScratchTest {
 protected:
  ValidationScoresTest() {
    options_.texts = {{{"a", "b"}, {"the old house of my dear friend", "a new car on the street"}},
                      {{"c"}, {"she reads the long book today"}}};
    options_.output = scratch() / "found";
  }

  // The scores of what the model finds: the second text is right.
  std::map<std::string, double> scores() const {
    return translation_scores(options_, [](const ValidationText& text) {
      return text.sources.size() == 2 ? Lines{"the old house of my dear friend", "something else"}
                                      : Lines{"she reads the long book today"};
    });
  }

  ValidationOptions options_;
};

TEST_F(ValidationScoresTest, EachTextHasScoresOfItsOwnAndItsTranslationsAFile) {
  const auto found = scores();
  EXPECT_DOUBLE_EQ(found.at("bleu_2"), 100.0);
  EXPECT_LT(found.at("bleu_1"), 80.0);
  EXPECT_GT(found.at("bleu"), found.at("bleu_1"));
  EXPECT_LT(found.at("chrf_1"), found.at("chrf_2"));
  EXPECT_EQ(read_file(scratch() / "found.1"), "the old house of my dear friend\nsomething else\n");
  EXPECT_EQ(read_file(scratch() / "found.2"), "she reads the long book today\n");
  for (const std::string& name : names_of_scores(2, {})) EXPECT_EQ(found.count(name), 1U) << name;
}

TEST_F(ValidationScoresTest, OneTextHasOneFileAndOneScore) {
  options_.texts.pop_back();
  EXPECT_THAT(names_of_scores(1, {}), ElementsAre("bleu", "chrf"));
  EXPECT_EQ(scores().size(), 2U);
  EXPECT_THAT(names(), ElementsAre("found"));
}

TEST_F(ValidationScoresTest, ACommandPrintsTheScoreOfItsFiles) {
  options_.command = "echo 'lines:'; cat";
  EXPECT_TRUE(std::isnan(scores().at("command")));
  options_.command = "f() { cat \"$@\" | wc -l; }; f";
  EXPECT_EQ(scores().at("command"), 3.0);
  options_.output.clear();  // the files are then temporary
  EXPECT_EQ(scores().at("command"), 3.0);
  options_.command = "echo 7; false";
  EXPECT_TRUE(std::isnan(scores().at("command")));
}

TEST_F(ValidationScoresTest, CometReadsEachSegmentOnceAndGivesItsMeans) {
  int64_t segments = 0;
  options_.comet = [&](const Lines& sources, const Lines& references, const Lines& found) {
    std::vector<double> scores;
    for (size_t i = 0; i < sources.size(); ++i, ++segments)
      scores.push_back(found[i] == references[i] ? 1.0 : sources[i] == "b" ? 0.25 : 0.0);
    return scores;
  };
  const auto found = scores();
  EXPECT_EQ(segments, 3);
  EXPECT_DOUBLE_EQ(found.at("comet"), 0.75);
  EXPECT_DOUBLE_EQ(found.at("comet_1"), 0.625);
  EXPECT_DOUBLE_EQ(found.at("comet_2"), 1.0);
  for (const std::string& name : names_of_scores(2, {.comet = true}))
    EXPECT_EQ(found.count(name), 1U) << name;
}

TEST_F(ValidationScoresTest, BpeMarksAreJoinedBeforeWordsAreCounted) {
  options_.texts = {{{"c"}, {"she re@@ ads the long book to@@ day"}}};
  EXPECT_LT(scores().at("bleu"), 100.0);
  options_.remove_bpe = true;
  EXPECT_DOUBLE_EQ(scores().at("bleu"), 100.0);
}

}  // namespace
}  // namespace dietmt::nmt
