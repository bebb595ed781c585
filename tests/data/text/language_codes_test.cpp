#include "data/text/language_codes.h"

#include <gmock/gmock.h>

#include <map>

namespace dietmt::data {
namespace {

TEST(LanguageCodesTest, NamesAreEnglish) {
  EXPECT_EQ(language_name("de"), "German");
  EXPECT_EQ(language_name("pt_BR"), "Portuguese (Brazil)");
}

TEST(LanguageCodesTest, AClientsCodeFindsTheClosestOne) {
  const std::vector<std::string> known = {"pt", "pt_BR", "zh", "sr-Latn", "en"};
  for (const auto& [code, expected] : std::map<std::string, std::string>{{"pt", "pt"},
                                                                         {"pt-BR", "pt_BR"},
                                                                         {"PT-br", "pt_BR"},
                                                                         {"pt-PT", "pt"},
                                                                         {"zh_Hans_CN", "zh"},
                                                                         {"EN", "en"},
                                                                         {"sr_LATN", "sr-Latn"},
                                                                         {"sr", "sr"},
                                                                         {"ptx", "ptx"},
                                                                         {"-", "-"},
                                                                         {"", ""}})
    EXPECT_EQ(closest_code(code, known), expected) << code;
}

TEST(LanguageCodesTest, ScriptsDecideBetweenTheKindsOfChinese) {
  const std::vector<std::string> both = {"zh_Hans", "zh_Hant", "pt_BR", "no"};
  for (const auto& [code, expected] : std::map<std::string, std::string>{{"zh", "zh_Hans"},
                                                                         {"zh-CN", "zh_Hans"},
                                                                         {"ZH-HANT", "zh_Hant"},
                                                                         {"zh-TW", "zh_Hant"},
                                                                         {"zh-Hant-HK", "zh_Hant"},
                                                                         {"zt", "zh_Hant"},
                                                                         {"pb", "pt_BR"},
                                                                         {"pt", "pt_BR"},
                                                                         {"pt-PT", "pt-PT"},
                                                                         {"nb", "no"}})
    EXPECT_EQ(closest_code(code, both), expected) << code;
  EXPECT_EQ(closest_code("zh-TW", {"zh", "en"}), "zh");
  EXPECT_EQ(closest_code("zh-Hant", {"zh_Hans"}), "zh-Hant");
}

TEST(LanguageCodesTest, TheShortestTagOfACode) {
  for (const auto& [code, expected] : std::map<std::string, std::string>{{"eng_Latn", "en"},
                                                                         {"en_XX", "en"},
                                                                         {"zho_Hans", "zh"},
                                                                         {"zho_Hant", "zh-Hant"},
                                                                         {"zh_TW", "zh-Hant"},
                                                                         {"zh_CN", "zh"},
                                                                         {"arb_Arab", "ar"},
                                                                         {"prs_Arab", "fa-AF"},
                                                                         {"srp_Latn", "sr-Latn"},
                                                                         {"pt_BR", "pt"},
                                                                         {"pt_PT", "pt-PT"},
                                                                         {"fra", "fr"},
                                                                         {"kor_Hang", "ko"},
                                                                         {"pbt_Arab", "ps"},
                                                                         {"ace_Arab", "ace-Arab"},
                                                                         {"ace_Latn", "ace"},
                                                                         {"", ""}})
    EXPECT_EQ(canonical_code(code), expected) << code;
}

TEST(LanguageCodesTest, ALanguageIsKnownByItsCodesAndItsEnglishName) {
  for (const char* given : {"en", "EN", "eng", "eng_Latn", "English", "en_XX", "ENGLISH"})
    EXPECT_EQ(known_language(given), "en") << given;
  EXPECT_EQ(known_language("pt_br"), "pt");
  EXPECT_EQ(known_language("zh-TW"), "zh-Hant");
  for (const char* given : {"xx", "", " en", "e", "Englsh", "-", "english please"})
    EXPECT_EQ(known_language(given), std::nullopt) << given;
}

TEST(LanguageCodesTest, CodesOfFloresAndEnglishNamesFindTheirLanguage) {
  const std::vector<std::string> known = {"en", "zh", "zh-Hant", "ar", "fil", "sr", "crh-Latn"};
  for (const auto& [code, expected] : std::map<std::string, std::string>{{"eng_Latn", "en"},
                                                                         {"ENG", "en"},
                                                                         {"English", "en"},
                                                                         {"zho_Hant", "zh-Hant"},
                                                                         {"arb_Arab", "ar"},
                                                                         {"tl", "fil"},
                                                                         {"srp_Cyrl", "sr"},
                                                                         {"crh_Latn", "crh-Latn"},
                                                                         {"serbian", "sr"},
                                                                         {"Klingon", "Klingon"}})
    EXPECT_EQ(closest_code(code, known), expected) << code;
}

}  // namespace
}  // namespace dietmt::data
