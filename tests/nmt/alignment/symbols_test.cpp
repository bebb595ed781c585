#include "nmt/alignment/symbols.h"

#include <gmock/gmock.h>

#include "nmt/alignment/mark_syntax.h"
#include "nmt/alignment/placeholders.h"
#include "tests/nmt/alignment/aligned_words.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string_view> symbols_in(std::string_view text) {
  return kept_in(text, Kept::kSymbols);
}

TEST(SymbolsTest, EmojiOfSeveralCharactersAreWhole) {
  for (const std::string_view emoji :
       {"\U0001F600", "\U0001F44D\U0001F3FD", "\U0001F468\u200D\U0001F469\u200D\U0001F467",
        "\U0001F1E9\U0001F1EA", "\u2764\uFE0F", "1\uFE0F\u20E3", "#\u20E3",
        "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"}) {
    EXPECT_EQ(symbols_at(emoji), emoji.size()) << emoji;
    const std::string text = "go" + std::string(emoji) + " on";
    EXPECT_THAT(symbols_in(text), ElementsAre(emoji));
  }
}

TEST(SymbolsTest, ArrowsStarsAndMathematicalSigns) {
  EXPECT_THAT(symbols_in("File \u2192 Save, x\u2264y, \u2605\u2605\u2606 \u221E \uE000"),
              ElementsAre("\u2192", "\u2264", "\u2605\u2605\u2606", "\u221E", "\uE000"));
}

TEST(SymbolsTest, CharactersThatNormalizationWouldReadWrongly) {
  EXPECT_THAT(symbols_in("5 m\u00B2, 2\u00BD, law\u00B9, App\u2122, \u2460\u2461, 10\u207B\u00B3"),
              ElementsAre("\u00B2", "\u00BD", "\u00B9", "\u2122", "\u2460\u2461", "\u207B\u00B3"));
}

TEST(SymbolsTest, FormulasAndCompoundsOfFractionsAreWhole) {
  EXPECT_THAT(symbols_in("H\u2082O, Fe\u2082O\u2083 and CO\u2082-free"),
              ElementsAre("H\u2082O", "Fe\u2082O\u2083", "\u2082"));
  EXPECT_THAT(symbols_in("a 2\u00BD-inch hole, \u00BD-\u00BE, \u00B9See, m\u00B2\u7684"),
              ElementsAre("2\u00BD-inch", "\u00BD", "\u00BE", "\u00B9", "\u00B2"));
  EXPECT_THAT(kept_in("%sH\u2082O", KeptKinds(Kept::kSymbols) | Kept::kPlaceholders),
              ElementsAre("%s", "H\u2082O"));
}

TEST(SymbolsTest, WhatLanguagesWriteIsNone) {
  for (const std::string_view text :
       {"20 \u00B0C", "\u00A9 2024", "a + b = c ~ 1 #2 *", "\u22125", "1\u20442", "\u2116 5",
        "5\u00BA, 5\u00AA", "30 \u2103", "\uFB01sh", "\uFF21", "\u2164",
        "caf\u00E9 \u2014 \u201Cno\u201D\u2026", "5 \u20AC", "\u6771\u4EAC\u3002\uFF01", "\u0645"})
    EXPECT_THAT(symbols_in(text), IsEmpty()) << text;
}

TEST(SymbolsTest, TheyTakeNothingAttachedToThemAlong) {
  EXPECT_FALSE(stands_for_text("\U0001F600"));
  EXPECT_EQ(take_out_markup("I love this!\U0001F600 Great\U0001F600", Kept::kSymbols).text,
            "I love this! Great");
  const MarkedText marked = take_out_markup("good \u2192 bad", Kept::kSymbols);
  EXPECT_EQ(join(place_markup(marked, "gut schlecht")), "gut \u2192 schlecht");
}

}  // namespace
}  // namespace dietmt::nmt
