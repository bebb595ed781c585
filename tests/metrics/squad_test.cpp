// Expected figures are from evaluate() in SQuAD's evaluate-v1.1.py and MLQA's mlqa_evaluation_v1.py
// under Python 3.11 for the same questions and predictions. Expected words were confirmed with
// their normalize_answer(...).split().
#include "metrics/squad.h"

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

TEST(SquadWords, ArticlesAreNoWords) {
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

using Questions = std::vector<QuestionAnswers>;

TEST(SpanScores, SquadWithMissingEmptyAndArticleOnlyPredictions) {
  const Questions questions{{"1", {"Denver Broncos", "The Broncos"}},
                            {"2", {"to be"}},
                            {"3", {"Santa Clara, California"}},
                            {"4", {"a"}},
                            {"5", {"gold"}},
                            {"6", {"1973"}}};
  const Predictions predictions{{"1", "broncos!"},
                                {"2", "to be or not to be"},
                                {"3", "in the Santa Clara"},
                                {"4", "the"},
                                {"5", ""},
                                {"7", "x"}};
  const SpanScores scores = span_scores(questions, predictions);
  EXPECT_DOUBLE_EQ(scores.exact, 33.333333333333336);
  EXPECT_DOUBLE_EQ(scores.f1, 36.11111111111111);
  EXPECT_EQ(scores.questions, 6);
  EXPECT_EQ(scores.missing, 1);
}

// Two answers without words are equal, but share no word.
TEST(SpanScores, ArticleOnlyAnswers) {
  const SpanScores scores = span_scores({{"1", {"a"}}}, {{"1", "The."}});
  EXPECT_EQ(scores.exact, 100.0);
  EXPECT_EQ(scores.f1, 0.0);
}

TEST(SpanScores, WordsCountAsOftenAsTheyOccur) {
  const std::vector<std::string> twice{"to", "be", "to"}, once{"to", "go"};
  EXPECT_DOUBLE_EQ(words_f1(twice, once), 2 * (1. / 3) * (1. / 2) / (1. / 3 + 1. / 2));
  EXPECT_DOUBLE_EQ(words_f1(once, twice), words_f1(twice, once));
  EXPECT_EQ(words_f1({}, {}), 0.0);
}

struct MlqaCase {
  std::string language;
  Questions questions;
  Predictions predictions;
  double exact;
  double f1;
};

class Mlqa : public testing::TestWithParam<MlqaCase> {};

TEST_P(Mlqa, EqualsTheScript) {
  const MlqaCase& given = GetParam();
  const SpanScores scores =
      span_scores(given.questions, given.predictions, AnswerWords::mlqa(given.language));
  EXPECT_DOUBLE_EQ(scores.exact, given.exact);
  EXPECT_DOUBLE_EQ(scores.f1, given.f1);
}

INSTANTIATE_TEST_SUITE_P(
    Languages, Mlqa,
    testing::Values(MlqaCase{"de",
                             {{"1", {"der Müller"}},
                              {"2", {"im 19. Jahrhundert", "19. Jahrhundert"}}},
                             {{"1", "Die MÜLLER!"}, {"2", "des „19.“ Jahrhundert"}},
                             100.0,
                             100.0},
                    MlqaCase{"zh",
                             {{"1", {"北京大学"}}, {"2", {"2008年8月"}}, {"3", {"中华民国"}}},
                             {{"1", "北京的大学"}, {"2", "2008年"}, {"3", "“中华民国”"}},
                             33.333333333333336,
                             85.18518518518518},
                    MlqaCase{"ar",
                             {{"1", {"الكتاب الكبير"}}, {"2", {"في البيت"}}},
                             {{"1", "كتاب كبير"}, {"2", "البيت"}},
                             50.0,
                             83.33333333333333},
                    MlqaCase{"hi",
                             {{"1", {"लाल किताब।"}}, {"2", {"दिल्ली में"}}},
                             {{"1", "लाल किताब"}, {"2", "नई दिल्ली में"}},
                             50.0,
                             90.0}),
    [](const auto& one) { return one.param.language; });

TEST(SpanScores, QuestionsThatCannotBeScoredAreErrors) {
  EXPECT_THAT([] { span_scores({}, {}); }, ThrowsMessage<Error>(HasSubstr("no questions")));
  EXPECT_THAT(
      [] {
        span_scores({{"q7", {}}}, {{"q7", ""}});
      },
      ThrowsMessage<Error>(HasSubstr("question q7 has no gold answer")));
}

}  // namespace

}  // namespace dietmt::metrics
