// How each tokenizer splits text; the expected words follow from the rules in their headers and
// were confirmed with sacreBLEU 2.6.0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "metrics/bleu_tokenizer.h"
#include "metrics/ter.h"
#include "metrics/unicode.h"

namespace dietmt::metrics {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Tokenizer13a, KeepsNumbersAndApostrophesWhole) {
  EXPECT_THAT(tokenize(BleuTokenizer::k13a, "It's $1,000.5, not 5-6."),
              ElementsAre("It's", "$", "1,000.5", ",", "not", "5", "-", "6", "."));
}

TEST(Tokenizer13a, UnescapesEntitiesInOrder) {
  EXPECT_THAT(tokenize(BleuTokenizer::k13a, "&quot;a&quot; &amp;lt; <skipped>b"),
              ElementsAre("\"", "a", "\"", "<", "b"));
}

TEST(Tokenizer13a, LeavesUnicodePunctuationAlone) {
  EXPECT_THAT(tokenize(BleuTokenizer::k13a, "«ja» é. 2\u00a0€"),
              ElementsAre("«ja»", "é", ".", "2", "€"));
}

TEST(Tokenizer13a, PairsDoNotOverlap) {
  EXPECT_THAT(tokenize(BleuTokenizer::k13a, "..5"), ElementsAre(".", ".5"));
}

TEST(TokenizerIntl, SeparatesPunctuationAndSymbolsOfAllScripts) {
  EXPECT_THAT(tokenize(BleuTokenizer::kIntl, "«ja»、 1,5 €5 in 2017."),
              ElementsAre("«", "ja", "»", "、", "1,5", "€", "5", "in", "2017."));
}

TEST(TokenizerChar, GivesCodePoints) {
  EXPECT_THAT(tokenize(BleuTokenizer::kChar, "ab é\u3000日"), ElementsAre("a", "b", "é", "日"));
}

TEST(TokenizerNone, SplitsAtUnicodeWhitespace) {
  EXPECT_THAT(tokenize(BleuTokenizer::kNone, " a,b\u2028c\u00a0d\u200be "),
              ElementsAre("a,b", "c", "d\u200be"));
  EXPECT_THAT(tokenize(BleuTokenizer::kNone, " \t"), IsEmpty());
}

TEST(TokenizerZh, SeparatesChineseCharacters) {
  EXPECT_THAT(tokenize(BleuTokenizer::kZh, "我有3.5个apple，好。"),
              ElementsAre("我", "有", "3.5", "个", "apple", "，", "好", "。"));
}

TEST(Tokenizer, NamesAreChecked) {
  EXPECT_EQ(to_string(bleu_tokenizer_from_name("intl")), "intl");
  try {
    bleu_tokenizer_from_name("13b");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown tokenizer '13b'; the choices are 13a, intl, char, none, zh, ja-mecab, "
                 "ko-mecab");
  }
}

TEST(TercomTokenizer, AppliesItsOptions) {
  EXPECT_THAT(tokenize_tercom({}, "The Dog's (tail)."), ElementsAre("the", "dog's", "(tail)."));
  EXPECT_THAT(tokenize_tercom({.normalized = true, .case_sensitive = true}, "The Dog's (tail)."),
              ElementsAre("The", "Dog", "'s", "(", "tail", ")", "."));
  EXPECT_THAT(tokenize_tercom({.no_punct = true, .asian_support = true}, "a, b。 c!"),
              ElementsAre("a", "b", "c"));
}

TEST(Unicode, LowercaseIsFullUnicode) {
  EXPECT_EQ(lowercase("ΑΣ ÖL İ"), "ας öl i\u0307");
  EXPECT_EQ(lowercase("Plain ASCII [Z]"), "plain ascii [z]");
}

TEST(Unicode, StripsAndDecodes) {
  EXPECT_EQ(strip("\u00a0 a b\u3000\r"), "a b");
  EXPECT_EQ(strip_right(" a\u0085"), " a");
  EXPECT_EQ(code_points("a\xff\u00e9"), U"a\ufffdé");
  EXPECT_EQ(to_utf8(U"aé日😀"), "aé日😀");
}

}  // namespace
}  // namespace dietmt::metrics
