#include <gmock/gmock.h>

#include "service/api/exchange.h"
#include "service/api/language_pairs.h"

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

TEST(LanguagesTest, NamesAreEnglish) {
  EXPECT_EQ(language_name("de"), "German");
  EXPECT_EQ(language_name("pt_BR"), "Portuguese (Brazil)");
}

TEST(LanguagesTest, AScriptTellsALanguageOrNothing) {
  EXPECT_EQ(language_by_script("Где он?", {"en", "ru"})->code, "ru");
  EXPECT_EQ(language_by_script("ひらがなと漢字", {"zh", "ja", "en"})->code, "ja");
  EXPECT_DOUBLE_EQ(language_by_script("да abc да", {"ru"}).value_or(DetectedLanguage{}).share,
                   4.0 / 7.0);
  EXPECT_FALSE(language_by_script("Where?", {"en", "de"}));
  EXPECT_FALSE(language_by_script("漢字", {"zh", "ja"}));
  EXPECT_FALSE(language_by_script("Where?", {"ru"}));
  EXPECT_FALSE(language_by_script("12 34!", {"en"}));
}

TEST(LanguagePairsTest, TheFirstModelOfAPairServesIt) {
  EXPECT_EQ(pairs().model_of("en", "de").name, "en-de");
  EXPECT_EQ(pairs().model_named("large").source, "en");
  EXPECT_THAT(pairs().targets("en"), testing::ElementsAre("de"));
  EXPECT_THAT(pairs().sources(), testing::ElementsAre("en", "ru", "de", "ja", "zh"));
}

TEST(LanguagePairsTest, WhatIsNotServedIsNamed) {
  const auto problem = [](const char* source, const char* target) {
    try {
      return pairs().model_of(source, target).name;
    } catch (const HttpError& error) {
      return std::to_string(error.status()) + " " + error.option() + " " + error.what();
    }
  };
  EXPECT_EQ(problem("fr", "de"), "400 source source: fr is not supported");
  EXPECT_EQ(problem("en", "fr"), "400 target target: fr is not supported");
  EXPECT_EQ(problem("de", "de"), "400 target target: de cannot be translated to de on this server");
}

TEST(LanguagePairsTest, AutoIsTheOnlySourceOrTheOneOfTheScript) {
  EXPECT_EQ(pairs().detect_source("Да", "de").code, "ru");
  EXPECT_EQ(LanguagePairs({{"en-de", "en", "de", ""}}).detect_source("12", "de").code, "en");
  EXPECT_THROW(pairs().detect_source("12", "de"), HttpError);
  EXPECT_THROW(pairs().detect_source("Да", "fr"), HttpError);
}

}  // namespace
}  // namespace dietmt::service
