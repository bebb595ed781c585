#include <gmock/gmock.h>

#include <map>

#include "data/languages/detection.h"
#include "data/languages/scripts.h"
#include "service/api/call.h"
#include "service/api/language_pairs.h"
#include "tests/common/cpu_cost.h"
#include "tests/common/test_directory.h"

namespace dietmt::service {
namespace {

LanguagePairs pairs() {
  return LanguagePairs({{"en-de", "en", "de", ""},
                        {"ru-de", "ru", "de", ""},
                        {"de-en", "de", "en", ""},
                        {"ja-en", "ja", "en", ""},
                        {"zh-en", "zh", "en", ""},
                        {"large", "en", "de", ""}});
}

std::string first_language(const std::string& text) {
  const std::vector<data::DetectedLanguage> found = data::identify_languages(text);
  return found.empty() ? "" : found.front().code;
}

TEST(LanguageIdentificationTest, SentencesOfManyLanguages) {
  const std::pair<const char*, const char*> sentences[] = {
      {"en", "The weather was fine and we walked along the river."},
      {"de", "Das Wetter war schön und wir gingen am Fluss entlang."},
      {"cs", "Počasí bylo pěkné a šli jsme podél řeky."},
      {"fr", "Il faisait beau et nous marchions le long de la rivière."},
      {"es", "Hacía buen tiempo y caminamos junto al río."},
      {"it", "Il tempo era bello e abbiamo camminato lungo il fiume."},
      {"pl", "Pogoda była ładna i szliśmy wzdłuż rzeki."},
      {"fi", "Sää oli kaunis ja kävelimme joen vartta pitkin."},
      {"tr", "Hava güzeldi ve nehir boyunca yürüdük."},
      {"ru", "Погода была хорошая, и мы шли вдоль реки."},
      {"el", "Ο καιρός ήταν καλός και περπατήσαμε δίπλα στο ποτάμι."},
      {"he", "מזג האוויר היה נאה והלכנו לאורך הנהר."},
      {"ja", "天気が良くて、川沿いを歩きました。"},
      {"zh", "天气很好，我们沿着河边散步。"}};
  for (const auto& [code, sentence] : sentences) EXPECT_EQ(first_language(sentence), code);
  EXPECT_EQ(first_language("12 34!"), "");
  EXPECT_EQ(first_language(""), "");
}

TEST(LanguageIdentificationTest, ConfidenceGrowsWithTheText) {
  const std::string sentence = "Das Wetter war schön und wir gingen am Fluss entlang. ";
  const double word = data::identify_languages("Hund").front().confidence;
  const double one = data::identify_languages(sentence).front().confidence;
  const double many = data::identify_languages(sentence + sentence + sentence).front().confidence;
  EXPECT_LE(word, 0.5);
  EXPECT_GT(one, 0.9);
  EXPECT_GT(many, one);
  EXPECT_LT(many, 1.0);
}

TEST(LanguageIdentificationTest, CodesOfOneLanguage) {
  EXPECT_TRUE(data::is_same_language("pt", "pt_BR"));
  EXPECT_TRUE(data::is_same_language("deu", "de"));
  EXPECT_TRUE(data::is_same_language("nb", "no"));
  EXPECT_TRUE(data::is_same_language("xx-unknown", "xx-unknown"));
  EXPECT_FALSE(data::is_same_language("de", "en"));
  EXPECT_FALSE(data::is_same_language("xx", "yy"));
}

data::DetectedLanguage source_of(const LanguagePairs& pairs, const std::string& text,
                                 const std::string& target) {
  return pairs.detect_source(text, pairs.sources_of(target));
}

TEST(LanguagePairsTest, TheFirstModelOfAPairServesIt) {
  EXPECT_EQ(path_name(pairs().path_of("en", "de")), "en-de");
  EXPECT_EQ(pairs().model_named("large").source, "en");
  EXPECT_THAT(pairs().targets("en"), testing::ElementsAre("de"));
  EXPECT_THAT(pairs().sources(), testing::ElementsAre("en", "ru", "de", "ja", "zh"));
}

TEST(LanguagePairsTest, AModelOfSeveralPairsServesThemAll) {
  const LanguagePairs pairs({{"en-de", "en", "de", ""},
                             {.name = "nllb",
                              .directory = "nllb",
                              .sources = {"de", "en", "zh-Hant"},
                              .targets = {"de", "en", "zh-Hant"}}});
  EXPECT_THAT(pairs.sources(), testing::ElementsAre("en", "de", "zh-Hant"));
  EXPECT_THAT(pairs.targets("zh-Hant"), testing::ElementsAre("de", "en"));
  EXPECT_EQ(path_name(pairs.path_of("en", "de")), "en-de") << "the first model";
  const ModelPath path = pairs.path_of("de", "zho_Hant");
  EXPECT_EQ(path_name(path), "nllb");
  EXPECT_EQ(path.front()->source + ">" + path.front()->target, "de>zh-Hant");
  EXPECT_EQ(pairs.path_of("DE", "zh-TW"), path) << "a pair has one description";
  EXPECT_TRUE(pairs.path_of("zh-Hant", "zh-Hant").empty());
  EXPECT_EQ(pairs.path_named("nllb", "en", "de").front()->target, "de");
  EXPECT_THROW(pairs.path_named("nllb"), HttpError);
  EXPECT_THROW(pairs.path_named("nllb", "en", "it"), HttpError);
  EXPECT_THROW(pairs.path_named("en-de+nllb", "en", "de"), HttpError);
  EXPECT_THAT(pairs.sources_of("en"), testing::ElementsAre("de", "zh-Hant", "en"));
}

TEST(LanguagePairsTest, ATextInTheTargetLanguageNeedsNoModel) {
  EXPECT_TRUE(pairs().path_of("de", "de").empty());
  EXPECT_TRUE(pairs().path_of("EN", "en-GB").empty());
  EXPECT_EQ(LanguagePairs({{"de-de", "de", "de", ""}}).path_of("de", "de").size(), 1U);
}

TEST(LanguagePairsTest, RegionsAndCaseOfAClientsCodesAreLookedUp) {
  EXPECT_EQ(pairs().path_of("zh-Hans-CN", "EN").front()->name, "zh-en");
  EXPECT_EQ(pairs().path_named("en-de", "en_GB", "DE").front()->name, "en-de");
  EXPECT_EQ(source_of(pairs(), "The weather was fine and we walked.", "de-AT").code, "en");
}

TEST(LanguagePairsTest, WhatIsNotServedIsNamed) {
  const auto problem = [](const char* source, const char* target) {
    try {
      return path_name(pairs().path_of(source, target));
    } catch (const HttpError& error) {
      return std::to_string(error.status()) + " " + error.option() + " " + error.what();
    }
  };
  EXPECT_EQ(problem("fr", "de"), "400 source source: fr is not supported");
  EXPECT_EQ(problem("en", "fr"), "400 target target: fr is not supported");
  EXPECT_EQ(problem("fr", "fr"), "400 source source: fr is not supported");
  EXPECT_EQ(problem("de", "en_GB"), "de-en");
}

LanguagePairs joined(const std::string& pivot) {
  return LanguagePairs({{"pt-en", "pt", "en", ""},
                        {"en-de", "en", "de", ""},
                        {"en-cs", "en", "cs", ""},
                        {"pt-cs", "pt", "cs", ""},
                        {"de-en", "de", "en", ""}},
                       pivot);
}

TEST(LanguagePairsTest, TwoModelsJoinAPairAtThePivot) {
  const LanguagePairs pairs = joined("en");
  EXPECT_EQ(path_name(pairs.path_of("pt", "de")), "pt-en+en-de");
  EXPECT_EQ(path_name(pairs.path_of("pt", "cs")), "pt-cs");  // a direct model comes first
  EXPECT_THAT(pairs.targets("pt"), testing::ElementsAre("en", "de", "cs"));
  EXPECT_THAT(pairs.targets("de"), testing::ElementsAre("en", "cs"));  // not German
  EXPECT_THAT(joined("").targets("pt"), testing::ElementsAre("en", "cs"));
  EXPECT_THAT(joined("cs").targets("pt"), testing::ElementsAre("en", "cs"));
  EXPECT_EQ(source_of(pairs, "O tempo estava bom e fomos para casa.", "de").code, "pt");
  EXPECT_EQ(message_of<HttpError>([] { joined("").path_of("pt", "de"); }),
            "target: pt cannot be translated to de on this server");
}

TEST(LanguagePairsTest, ANamedPathMustJoin) {
  const LanguagePairs pairs = joined("");
  EXPECT_EQ(path_name(pairs.path_named("pt-en+en-de")), "pt-en+en-de");
  EXPECT_EQ(path_name(pairs.path_named("de-en+en-de+de-en")), "de-en+en-de+de-en");
  EXPECT_EQ(message_of<HttpError>([&] { pairs.path_named("pt-en+de-en"); }),
            "model: pt-en translates to en, but de-en from de");
  EXPECT_THAT(message_of<HttpError>([&] { pairs.path_named("de-en+en-de+de-en+en-de+de-en"); }),
              testing::HasSubstr("at most 4 models"));
  for (const char* names : {"", "pt-en+", "+pt-en", "pt-en+no"})
    EXPECT_THAT(message_of<HttpError>([&] { pairs.path_named(names); }),
                testing::HasSubstr("there is no model '"))
        << names;
}

TEST(LanguagePairsTest, AutoIsTheLanguageOfTheText) {
  EXPECT_EQ(source_of(pairs(), "Да, конечно", "de").code, "ru");
  EXPECT_EQ(source_of(pairs(), "The weather was fine.", "de").code, "en");
  EXPECT_EQ(source_of(pairs(), "Das Wetter war schön.", "en").code, "de");
  EXPECT_EQ(message_of<HttpError>([] { pairs().sources_of("fr"); }), "target: fr is not supported");
}

TEST(LanguagePairsTest, AutoFindsTheTargetAndOtherLanguagesToo) {
  const LanguagePairs english({{"en-de", "en", "de", ""}});
  EXPECT_EQ(source_of(english, "Das Wetter war schön und wir gingen am Fluss entlang.", "de").code,
            "de");
  const data::DetectedLanguage russian = source_of(english, "Где он?", "de");
  EXPECT_FALSE(english.has_path(russian.code, "de"));
  EXPECT_EQ(source_of(english, "La maison est rouge et le chien court.", "de").code, "fr");
}

// CLD2 takes "Hund" for Danish and "Haus" for Hmong.
TEST(LanguagePairsTest, AShortTextIsInALanguageOfTheServer) {
  const LanguagePairs english({{"en-de", "en", "de", ""}});
  for (const auto& [word, code] : std::map<std::string, std::string>{
           {"Hund", "de"}, {"Haus", "de"}, {"dog", "en"}, {"Hello", "en"}, {"12", "en"}}) {
    const data::DetectedLanguage found = source_of(english, word, "de");
    EXPECT_EQ(found.code, code) << word;
    EXPECT_LE(found.confidence, 0.5);
  }
  EXPECT_EQ(source_of(english, "12", "de").confidence, 0.0);
  EXPECT_EQ(english.detect("Haus").front().code, "de");
}

TEST(LanguagePairsTest, ThePriorDecidesAboutShortTexts) {
  const std::vector<ModelSpec> specs = {{"de-en", "de", "en", ""}, {"nl-en", "nl", "en", ""}};
  const LanguagePairs dutch(specs, "", {"nl"});
  EXPECT_EQ(source_of(LanguagePairs(specs), "Hund", "en").code, "de");
  EXPECT_EQ(source_of(dutch, "Hund", "en").code, "nl");
  EXPECT_EQ(source_of(dutch, "12", "en").code, "nl");
  EXPECT_EQ(dutch.detect("Hund").front().code, "nl");
  EXPECT_EQ(source_of(dutch, "Das Wetter war schön und wir gingen am Fluss.", "en").code, "de");
}

TEST(LanguagePairsTest, DetectionUsesTheCodesOfTheServer) {
  const LanguagePairs brazilian({{"pt-en", "pt_BR", "en", ""}});
  EXPECT_EQ(brazilian.detect("O tempo estava bom e caminhamos ao longo do rio.").front().code,
            "pt_BR");
  EXPECT_EQ(brazilian.detect("Das Wetter war schön und wir gingen.").front().code, "de");
  EXPECT_EQ(brazilian.detect("12").front().confidence, 0.0);
}

TEST(LanguagePairsTest, LongTextsTakeTimeInProportion) {
  const LanguagePairs pairs({{"en-de", "en", "de", ""}, {"fr-de", "fr", "de", ""}});
  for (const std::string part : {"a", "Das Wetter war @ ", "\u4f60", "\u4f60a", " ", ".", "\u0301",
                                 "<", "&", "\u0433\u0434\u0435 ", "1", "a\n"}) {
    SCOPED_TRACE(part);
    EXPECT_LE(cost_growth(
                  100'000, [&](size_t bytes) { return repeated(part, bytes); },
                  [&](const std::string& text) {
                    pairs.detect(text);
                    data::ScriptSet::of_language("ru").share_of(text);
                    source_of(pairs, text, "de");
                  }),
              kLinearGrowth);
  }
}

}  // namespace
}  // namespace dietmt::service
