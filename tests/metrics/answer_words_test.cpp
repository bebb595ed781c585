// Expected words were confirmed with normalize_answer(...).split() of SQuAD's evaluate-v1.1.py and
// MLQA's mlqa_evaluation_v1.py under Python 3.11.
#include "metrics/answer_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace dietmt::metrics {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

const AnswerWords kSquad = AnswerWords::squad();

TEST(SquadWords, LowerCaseWithoutPunctuationAndArticles) {
  EXPECT_THAT(kSquad("The Eiffel-Tower!"), ElementsAre("eiffeltower"));
  EXPECT_THAT(kSquad("theatre l'an snake_case"), ElementsAre("theatre", "lan", "snakecase"));
}

TEST(SquadWords, PunctuationGoesBeforeArticlesAreLookedFor) {
  EXPECT_THAT(kSquad("a-ha"), ElementsAre("aha"));
}

TEST(SquadWords, ArticlesAloneAreNoWords) {
  EXPECT_THAT(kSquad("the A an"), IsEmpty());
  EXPECT_THAT(kSquad(""), IsEmpty());
}

TEST(SquadWords, WhiteSpaceIsPythons) {
  EXPECT_THAT(kSquad(" x\u00a0y\u3000z\x1cw\u200bv "), ElementsAre("x", "y", "z", "w\u200bv"));
}

TEST(SquadWords, KeepsPunctuationBeyondAscii) {
  EXPECT_THAT(kSquad("«Ja», 5€ 5%"), ElementsAre("«ja»", "5€", "5"));
}

TEST(SquadWords, LowerCaseIsFullUnicode) {
  EXPECT_THAT(kSquad("ΟΔΟΣ İ ẞ"), ElementsAre("οδος", "i\u0307", "ß"));
}

TEST(SquadWords, CombiningMarksEndAWord) {
  EXPECT_THAT(kSquad("e\u0301 a\u0301"), ElementsAre("e\u0301", "\u0301"));
}

TEST(SquadWords, CharactersBeyondTheBasicPlane) {
  EXPECT_THAT(kSquad("\U00010400 \U0001d482 the\U0001f600 a\U00020000"),
              ElementsAre("\U00010428", "\U0001d482", "\U0001f600", "a\U00020000"));
}

TEST(SquadWords, NumbersOfAllKindsBelongToWords) {
  EXPECT_THAT(kSquad("x² a½ the½"), ElementsAre("x²", "a½", "the½"));
}

TEST(MlqaWords, English) {
  EXPECT_THAT(AnswerWords::mlqa("en")("«The» U.S.—“an” $5"), ElementsAre("usan", "5"));
}

TEST(MlqaWords, German) {
  EXPECT_THAT(AnswerWords::mlqa("de")("Der Müller, ein ÄRZTE-Haus des 19. Jahrhunderts"),
              ElementsAre("müller", "ärztehaus", "19", "jahrhunderts"));
}

TEST(MlqaWords, Spanish) {
  EXPECT_THAT(AnswerWords::mlqa("es")("¿El Niño, la niña?"), ElementsAre("niño", "niña"));
}

TEST(MlqaWords, VietnameseListIsComposed) {
  EXPECT_THAT(AnswerWords::mlqa("vi")("Những cái bàn của tôi, cu\u0309a"),
              ElementsAre("bàn", "tôi", "cu\u0309a"));
}

TEST(MlqaWords, HindiKeepsItsVowelSigns) {
  EXPECT_THAT(AnswerWords::mlqa("hi")("नहीं, किताब।"), ElementsAre("नहीं", "किताब"));
}

TEST(MlqaWords, ArabicArticleGoesInsideWordsToo) {
  EXPECT_THAT(AnswerWords::mlqa("ar")("الكتاب، والبيت"), ElementsAre("كتاب", "و", "بيت"));
  EXPECT_THAT(AnswerWords::mlqa("ar")("ال"), IsEmpty());
}

TEST(MlqaWords, ChineseIdeographsAreWords) {
  const AnswerWords words = AnswerWords::mlqa("zh");
  EXPECT_THAT(words("北京大学(PKU),中华A股 2008年"),
              ElementsAre("北", "京", "大", "学", "pku", "中", "华", "a", "股", "2008", "年"));
  EXPECT_THAT(words("的,the"), ElementsAre("的", "the"));
}

TEST(MlqaWords, LaterIdeographsAreNotSplit) {
  EXPECT_THAT(AnswerWords::mlqa("zh")("\u9fa6\U00020000\U00020001 \u3400"),
              ElementsAre("\u9fa6\U00020000\U00020001", "\u3400"));
}

TEST(MlqaWords, UnknownLanguageNamesTheChoices) {
  EXPECT_THAT([] { AnswerWords::mlqa("fr"); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("'fr'"), HasSubstr("ar, de, en, es, hi, vi, zh"))));
}

}  // namespace
}  // namespace dietmt::metrics
