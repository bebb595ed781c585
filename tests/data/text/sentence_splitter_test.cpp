#include "data/text/sentence_splitter.h"

#include <gmock/gmock.h>

#include <chrono>
#include <string>

#include "common/random.h"
#include "tests/common/cpu_cost.h"

namespace dietmt::data {
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

// Each line is a language and sentences of it with / between them.
TEST(SentenceSplitterTest, SentencesOfEachLanguage) {
  const std::vector<std::pair<std::string, std::string>> kLines = {
      {"en", "See https://a.example/search?q=dogs&p=1 for more. / Go to www.a.example/x!y now."},
      {"en", "Mail me@x.example. / Open a.txt or v1.2.3. / It costs $1.50. / At 12.30 we go."},
      {"en", "He asked \"Why?\" and left. / \"Go!\" she said. / (Is it (really?) so?) / Yes."},
      {"en", "Yahoo! Mail is here. / He works at Yahoo! / He likes it. / It works! / Mail it."},
      {"en", "He lives in the U.S. Army base. / I live in the U.S. / How about you?"},
      {"en", "Apple Inc. Sells it. / Smith et al. Found it. / John Jr. Smith runs."},
      {"en", "At 5 p.m. Monday we go. / We left at 6 p.m. / Dogs ran. / J. R. Ewing came."},
      {"en", "See Fig. 3 and Eq. 4. / It paid 5 dollars. / 30 people came. / i went there. / ok."},
      {"en", "1. Introduction of a list. / Really?! / Yes... / No. / Well... maybe. / A. First."},
      {"en", "You and I. / Then he left. / “Come.” / He came. / No way! / Good."},
      {"en", "At 5 a.m. Mr. Smith left. / He came at 6 P.M. / Mr. Smith then slept. / Ok."},
      {"en", "She works at Yahoo! in sales. / Leave me here! he yelled. / No way! / that is it."},
      {"en", "\"It [...] was a wave [...]\" (Smith 55). / She lives in the U.S. / Millions do."},
      {"en",
       "I see . . . well . . . I do. / . . . Then it ended. / This is a period . . . . / Go."},
      {"da", "Det sker dec. 31 hos Mr. Smith kl. 6 p.m. / Sen. Smith kom, se no. 5."},
      {"hy", "Սա տուն է: / Որտե՞ղ է նա: / Նա 12:30 այստեղ է:"},
      {"it", "Il servizio meteor. è pronto. / Studia econ. az. e basta. / Vero."},
      {"nl", "Zie aanw. vnw. op blz. 7. / ...en dan is het op. / Goed."},
      {"pl", "To słowo bałt. jest skrótem. / Tak."},
      {"de",
       "Am 3. Oktober kam Karl IV. Lang, z. B. mit Dr. Huber. / Es war 1999. / Dann ging er."},
      {"de",
       "Zeitungen u. Ä. kamen. / ...dann ging er. / „Komm!“, sagte er. / Das sind 5 Mio. Euro usw. "
       "/ Die Fa. Meier, vgl. S. 7."},
      {"bg", "Той живее на ул. Иван 5. / Това е."},
      {"cs", "Přišel 3. Října s Ing. Novákem, tzv. Pepou. / Bylo to v r. 1999. / Pak odešel."},
      {"da", "Den 3. Maj kom hr. Hansen, bl.a. med dr. Olsen. / Så gik han."},
      {"el", "Πού είναι ο κ. Νίκος; / Εδώ, π.χ. στο σπίτι. / Έφυγε."},
      {"es", "El Sr. López y la Dra. Ruiz llegaron. / ¿Dónde? / ¡Aquí! / Véase la pág. 7."},
      {"et", "Hr. Tamm tuli 3. Mail, s.o kell 5. / Siis ta läks."},
      {"fi", "Tri Virtanen ja prof. Niemi tulivat, ks. s. 5. / Sitten he lähtivät."},
      {"fr", "M. Dupont et Mme. Roche, av. Foch. / Il dit : « Viens ! » / Elle vient, cf. p. 5."},
      {"ga", "Tháinig an Dr. Murphy. / Cá bhfuil sé? / Tá sé anseo."},
      {"hr", "Došao je dr. Horvat, npr. jučer. / Tko je to? / Otišao je."},
      {"hu", "Jött dr. Kovács, ill. id. Nagy. / Hol van? / Itt van."},
      {"it", "Il sig. Rossi e il dott. Bianchi, ecc. / Dove sono? / Sono qui, p. 5."},
      {"lt", "Atvyko dr. Petraitis, pvz. vakar. / Kur jis? / Čia."},
      {"lv", "Atnāca dr. Bērziņš, t.i. vakar. / Kur viņš ir? / Šeit."},
      {"mt", "Wasal is-Sur. Borg. / Fejn hu? / Hawn."},
      {"nl", "Dhr. Jansen en mevr. De Vries kwamen, bijv. gisteren. / Waar? / Hier, zie blz. 7."},
      {"no", "Han bor i 3. Etasje hos dr. Olsen. / Hun gikk."},
      {"pl", "Przyszedł dr. Nowak z prof. Lisem, np. wczoraj. / Gdzie? / Tu, zob. s. 5."},
      {"pt", "O Sr. Silva e a Dra. Costa vieram. / Onde? / Aqui, p. 5."},
      {"ro", "A venit dl. Popescu, str. Lungă nr. 5. / Unde este? / Aici."},
      {"ru", "Приехал А. С. Пушкин, т. е. поэт. / Ул. Ленина, д. 5. / Это я. / Он ушёл."},
      {"ru", "«Где он?» – спросила она. / Было 1999 г. / Он ушёл."},
      {"sk", "Prišiel Ing. Novák, napr. včera. / Kde je? / Tu, str. 5."},
      {"sl", "Prišel je dr. Novak, npr. včeraj. / Kje je? / Tu."},
      {"sv", "I maj kom dr. Berg, bl.a. hit. / Var är han? / Här."},
      {"uk", "Приїхав проф. Шевченко, див. с. 5. / Де він? / Тут."},
      {"ar", "أين هو؟ / هو هنا. / نعم!"},
      {"hi", "वह बी. सी. राय है। / वह कहाँ है? / यहाँ।"},
      {"ko", "그는 왔다. / 어디 있니? / 여기."},
      {"xx", "One here. / Two there! / Three?"},
  };
  for (const auto& [language, text] : kLines) {
    std::vector<std::string> expected;
    std::string joined_text;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(" / ", at), text.size());
      expected.push_back(text.substr(at, end - at));
      joined_text += (at == 0 ? "" : " ") + expected.back();
      at = end + 3;
    }
    EXPECT_EQ(sentences(joined_text, language), expected) << language;
  }
}

TEST(SentenceSplitterTest, ItemsOfAListOnOneLine) {
  EXPECT_THAT(sentences("1. The first 2. The second 3. The third"),
              ElementsAre("1. The first", "2. The second", "3. The third"));
  EXPECT_THAT(sentences("Two things. 1.) One 2.) Two"),
              ElementsAre("Two things.", "1.) One", "2.) Two"));
  EXPECT_THAT(sentences("1) One. It is a) small b) red. 2) Two", "de"),
              ElementsAre("1) One.", "It is a) small b) red.", "2) Two"));
  EXPECT_THAT(sentences("a. The first b. The second"),
              ElementsAre("a. The first", "b. The second"));
  EXPECT_THAT(sentences("(1) One (2) Two"), ElementsAre("(1) One", "(2) Two"));
  EXPECT_THAT(sentences("• 9. One • 10. Two"), ElementsAre("• 9. One", "• 10. Two"));
  EXPECT_THAT(sentences("⁃9. One ⁃10. Two"), ElementsAre("⁃9. One", "⁃10. Two"));
}

TEST(SentenceSplitterTest, NumbersAndInitialsAreNoItems) {
  const std::vector<std::pair<std::string, std::string>> kOneSentence = {
      {"en", "There are two: 1) cut it 2) paste it"},
      {"en", "A. Einstein met B. Russell"},
      {"en", "1) Page 3) is missing"},
      {"de", "1. Bundesliga und 2. Bundesliga spielen"},
  };
  for (const auto& [language, text] : kOneSentence)
    EXPECT_THAT(sentences(text, language), ElementsAre(text));
}

TEST(SentenceSplitterTest, AForgottenSpace) {
  EXPECT_THAT(sentences("It rained again.The dog paid 1,000.That is a lot!He ran."),
              ElementsAre("It rained again.", "The dog paid 1,000.", "That is a lot!He ran."));
  EXPECT_THAT(sentences("On Tuesday.Mr. Smith ran"), ElementsAre("On Tuesday.", "Mr. Smith ran"));
  for (const char* text : {"See http://a.example/some.The file", "It is system.Collections here",
                           "Open some.The.txt now", "Use Ph.The now"})
    EXPECT_THAT(sentences(text), ElementsAre(text));
}

TEST(SentenceSplitterTest, LanguagesWithoutSpaces) {
  EXPECT_THAT(sentences("「こんにちは。」と言った。円周率は３．１４です。はい!次?", "ja"),
              ElementsAre("「こんにちは。」と言った。", "円周率は３．１４です。", "はい!", "次?"));
  EXPECT_THAT(sentences("我们去看《摔跤吧！爸爸》好吗？好！“行。”他说。", "zh"),
              ElementsAre("我们去看《摔跤吧！爸爸》好吗？", "好！", "“行。”", "他说。"));
  // Thai ends sentences with spaces, which are also between clauses.
  EXPECT_THAT(sentences("สวัสดีครับ ผมชื่อสมชาย", "th"), ElementsAre("สวัสดีครับ", "ผมชื่อสมชาย"));
  EXPECT_THAT(sentences("เขาไปตลาด และซื้อปลา", "th"), ElementsAre("เขาไปตลาด และซื้อปลา"));
  EXPECT_THAT(sentences("สวัสดีครับ ผมชื่อสมชาย", "the"), ElementsAre("สวัสดีครับ ผมชื่อสมชาย"));  // Tharu
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
  for (const std::string part : {"This is sentence No. 7, by A. Nobody. ",
                                 "x",
                                 ".",
                                 "A.",
                                 "\n",
                                 "a.) ",
                                 "\"",
                                 "\u200B",
                                 "1. ",
                                 "?\" a",
                                 "! – ",
                                 ". ..a",
                                 "。」と",
                                 "《。",
                                 "a.b.",
                                 "I. ",
                                 "1. a 2. b ",
                                 "• 1. ",
                                 "a) ",
                                 ". ",
                                 "• ",
                                 "aaaa.The "}) {
    SCOPED_TRACE(part);
    const auto make = [&](size_t bytes) { return repeated(part, bytes); };
    EXPECT_LE(
        cost_growth(100'000, make, [](const std::string& given) { split_sentences(given, "de"); }),
        kLinearGrowth);
    EXPECT_LE(
        cost_growth(100'000, make, [](const std::string& given) { split_sentences(given, "th"); }),
        kLinearGrowth);
  }
}

}  // namespace
}  // namespace dietmt::data
