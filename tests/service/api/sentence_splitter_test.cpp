#include "service/api/sentence_splitter.h"

#include <gmock/gmock.h>

#include <chrono>
#include <string>

#include "common/random.h"
#include "tests/common/cpu_cost.h"

namespace dietmt::service {
namespace {

std::string joined(const SplitText& split) {
  std::string text;
  for (const SentencePiece& piece : split.pieces) {
    text += piece.before;
    text += piece.sentence;
  }
  return text + std::string(split.after);
}

std::vector<std::string> sentences(const std::string& text, const std::string& language = "en") {
  std::vector<std::string> all;
  for (const SentencePiece& piece : split_sentences(text, language).pieces)
    all.emplace_back(piece.sentence);
  return all;
}

using testing::ElementsAre;

TEST(SentenceSplitterTest, SentencesAndWhatStandsBetweenThem) {
  const SplitText split = split_sentences("  One here.  Two there!\n\n\tThree? \n", "en");
  ASSERT_EQ(split.pieces.size(), 3U);
  EXPECT_EQ(split.pieces[0].before, "  ");
  EXPECT_EQ(split.pieces[0].sentence, "One here.");
  EXPECT_EQ(split.pieces[1].before, "  ");
  EXPECT_EQ(split.pieces[2].before, "\n\n\t");
  EXPECT_EQ(split.pieces[2].sentence, "Three?");
  EXPECT_EQ(split.after, " \n");
}

TEST(SentenceSplitterTest, ALineBreakAlwaysEndsASentence) {
  EXPECT_THAT(sentences("a title\nand a line\r\nanother\xE2\x80\xA8last"),
              ElementsAre("a title", "and a line", "another", "last"));
}

TEST(SentenceSplitterTest, AbbreviationsAndInitialsEndNone) {
  EXPECT_THAT(sentences("Dr. Smith met J. R. Ewing vs. Mr. Jones. They left."),
              ElementsAre("Dr. Smith met J. R. Ewing vs. Mr. Jones.", "They left."));
  EXPECT_THAT(sentences("Take No. 7. Or not? No. Never."),
              ElementsAre("Take No. 7.", "Or not?", "No.", "Never."));
  EXPECT_THAT(sentences("See e.g. Figure 3. It is red."),
              ElementsAre("See e.g. Figure 3.", "It is red."));
  EXPECT_THAT(sentences("Am 3. Oktober kam Prof. Meier, z. B. mit Dr. Huber. Dann ging er.", "de"),
              ElementsAre("Am 3. Oktober kam Prof. Meier, z. B. mit Dr. Huber.", "Dann ging er."));
  EXPECT_THAT(sentences("Es war 1999. Dann kam er.", "de"),
              ElementsAre("Es war 1999.", "Dann kam er."));
  for (const char* language : {"no", "nb"})
    EXPECT_THAT(sentences("Han bor i 3. Etasje. Hun gikk.", language),
                ElementsAre("Han bor i 3. Etasje.", "Hun gikk."))
        << language;
}

TEST(SentenceSplitterTest, OnlyCapitalLettersAreInitials) {
  EXPECT_THAT(sentences("Это я. Он ушёл. А. С. Пушкин.", "ru"),
              ElementsAre("Это я.", "Он ушёл.", "А. С. Пушкин."));
  EXPECT_THAT(sentences("C'est là où il a été, à é. Il part. É. Zola.", "fr"),
              ElementsAre("C'est là où il a été, à é.", "Il part.", "É. Zola."));
}

TEST(SentenceSplitterTest, OtherWritingSystems) {
  EXPECT_THAT(sentences("今日は晴れです。明日は雨です。", "ja"),
              ElementsAre("今日は晴れです。", "明日は雨です。"));
  EXPECT_THAT(sentences("Это дом. Где он?", "ru"), ElementsAre("Это дом.", "Где он?"));
  EXPECT_THAT(sentences("One. Two.", "xx"), ElementsAre("One.", "Two."));
}

TEST(SentenceSplitterTest, NothingToTranslate) {
  EXPECT_EQ(split_sentences("", "en").pieces.size(), 0U);
  EXPECT_EQ(split_sentences(" \n ", "en").after, " \n ");
  EXPECT_EQ(one_sentence(" \n ").after, " \n ");
}

TEST(SentenceSplitterTest, OneSentenceKeepsTheSpacingAroundIt) {
  const SplitText split = one_sentence(" A. B.\nC. ");
  ASSERT_EQ(split.pieces.size(), 1U);
  EXPECT_EQ(split.pieces[0].sentence, "A. B.\nC.");
  EXPECT_EQ(joined(split), " A. B.\nC. ");
}

// Whatever the text is, nothing is lost, and no sentence is empty or has white space at its ends.
TEST(SentenceSplitterTest, PiecesJoinToTheTextExactly) {
  const std::vector<std::string> parts = {"a",        "B",
                                          "Dr",       ".",
                                          "!",        "?",
                                          " ",        "\n",
                                          "\r\n",     "\t",
                                          "1",        "z.B.",
                                          "\"",       ")",
                                          "é",        "猫",
                                          "。",       "…",
                                          "\xC2\xA0", "\xE2\x80\xA9",
                                          "😀",        std::string(1, '\0'),
                                          "\x7F",     "'"};
  Random random(random_key(7, 1));
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (uint64_t i = random.below(40); i > 0; --i) text += parts[random.below(parts.size())];
    for (const char* language : {"en", "de", "ja"}) {
      const SplitText split = split_sentences(text, language);
      ASSERT_EQ(joined(split), text) << language;
      for (const SentencePiece& piece : split.pieces) {
        ASSERT_FALSE(piece.sentence.empty());
        ASSERT_EQ(piece.sentence.find_first_of("\n\r"), std::string::npos);
        ASSERT_NE(piece.sentence.front(), ' ');
        ASSERT_NE(piece.sentence.back(), ' ');
      }
    }
  }
}

TEST(SentenceSplitterTest, LongTextsTakeTimeInProportion) {
  std::string text;
  while (text.size() < 1'000'000) text += "This is sentence No. 7 of a long text, by A. Nobody. ";
  const SplitText split = split_sentences(text, "en");
  EXPECT_EQ(joined(split), text);
  EXPECT_EQ(split.pieces.size(), text.size() / 53);
  for (const std::string part : {"This is sentence No. 7, by A. Nobody. ", "x", ".", "A.", "\n",
                                 "a.) ", "\"", "\u200B", "1. "}) {
    SCOPED_TRACE(part);
    const auto make = [&](size_t bytes) { return repeated(part, bytes); };
    EXPECT_LE(
        cost_growth(100'000, make, [](const std::string& given) { split_sentences(given, "en"); }),
        kLinearGrowth);
  }
}

}  // namespace
}  // namespace dietmt::service
