// Models that read document context; the command test of context leaves them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "dietmt/translator.h"

namespace dietmt {
namespace {

// "it" is masculine after a dog and feminine after a cat.
const std::vector<std::string> kLines = {"the dog stands", "it waits", "the cat stands",
                                         "it waits",       "",         "it waits"};

class ContextTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::getenv("DIETMT_CONTEXT_MODELS") == nullptr)
      GTEST_SKIP() << "DIETMT_CONTEXT_MODELS names no directory";
  }
  static std::string model() {
    return std::string(std::getenv("DIETMT_CONTEXT_MODELS")) + "/" + GetParam() + ".fp32";
  }
  static double score(const Translator& translator, const std::vector<std::string>& sources,
                      const std::vector<std::string>& targets) {
    return translator.score(sources, targets).back().score;
  }
};

TEST_P(ContextTest, IsTheLinesBefore) {
  const Translator translator(model());
  const auto translations = translator.translate(kLines);
  ASSERT_EQ(translations.size(), kLines.size());
  EXPECT_EQ(translations[1].text(), "er wartet");
  EXPECT_EQ(translations[3].text(), "sie wartet");
  EXPECT_EQ(translations[4].text(), "");
  // After an empty line there is no context.
  EXPECT_EQ(translations[5].text(), translator.translate({"it waits"}).front().text());
}

TEST_P(ContextTest, GoesOnIntoTheNextWindow) {
  constexpr size_t kFirstWindow = 256;
  const Translator translator(model());
  for (const auto& [noun, pronoun] : {std::pair{"dog", "er"}, {"cat", "sie"}}) {
    std::vector<std::string> lines(kFirstWindow - 1, "");
    lines.push_back(std::string("the ") + noun + " stands");
    lines.emplace_back("it waits");
    for (const bool line_by_line : {false, true}) {
      size_t next = 0;
      TranslationStream stream = translator.stream(
          [&](std::string& line, std::string&) {
            if (next == lines.size()) return false;
            line = lines[next++];
            return true;
          },
          {}, line_by_line);
      std::string last;
      while (const auto translation = stream.next()) last = translation->text();
      EXPECT_EQ(last, std::string(pronoun) + " wartet");
    }
  }
}

TEST_P(ContextTest, CountsForScores) {
  const Translator translator(model());
  const std::vector<std::string> sources = {"the cat stands", "it waits"};
  const double right = score(translator, sources, {"das katze steht", "sie wartet"});
  EXPECT_GT(right, score(translator, sources, {"das katze steht", "er wartet"}) + 1);
  const auto scored = translator.score(sources, {"das katze steht", "sie wartet"}).back();
  EXPECT_EQ(scored.text, "sie wartet");
  EXPECT_GT(right, -1);
}

INSTANTIATE_TEST_SUITE_P(Sides, ContextTest, ::testing::Values("source", "both"));

}  // namespace
}  // namespace dietmt
