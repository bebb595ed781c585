#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr DocumentKind kKind = DocumentKind::kStringCatalog;

// A catalogue of these strings as Xcode writes it.
std::string catalog(const std::string& strings) {
  return "{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {\n" + strings +
         "\n  },\n  \"version\" : \"1.0\"\n}";
}

std::string unit(const std::string& indent, const std::string& state, const std::string& value) {
  return "{\n" + indent + "  \"stringUnit\" : {\n" + indent + "    \"state\" : \"" + state +
         "\",\n" + indent + "    \"value\" : \"" + value + "\"\n" + indent + "  }\n" + indent + "}";
}

std::string localization(const std::string& language, const std::string& state,
                         const std::string& value) {
  return "        \"" + language + "\" : " + unit("        ", state, value);
}

std::string localized(const std::string& key, const std::string& localizations) {
  return "    \"" + key + "\" : {\n      \"localizations\" : {\n" + localizations +
         "\n      }\n    }";
}

// The localizations of one text for each category.
std::string plural(const std::string& language, const std::string& state,
                   const std::vector<std::pair<std::string, std::string>>& forms) {
  std::string all;
  for (const auto& [category, text] : forms)
    all += (all.empty() ? "" : ",\n") + ("              \"" + category + "\" : ") +
           unit("              ", state, text);
  return "        \"" + language +
         "\" : {\n          \"variations\" : {\n            \"plural\" : {\n" + all +
         "\n            }\n          }\n        }";
}

TEST(StringCatalogTest, StringsWithoutALocalizationAreTheirOwnText) {
  const std::string file = catalog("    \"\" : {\n\n    },\n    \"Hello \\\"%@\\\"\" : {\n\n    }");
  EXPECT_THAT(segments_of(kKind, file), ElementsAre("Hello \"%@\""));
  EXPECT_EQ(bracketed(kKind, file),
            catalog("    \"\" : {\n\n    },\n" +
                    localized("Hello \\\"%@\\\"",
                              localization("de", "needs_review", "[Hello \\\"%@\\\"]"))));
}

TEST(StringCatalogTest, OtherMembersStayInTheOrderOfXcode) {
  const auto file = [](const std::string& between) {
    return catalog(
        "    \"Open\" : {\n      \"comment\" : \"A menu\",\n      \"extractionState\" : "
        "\"stale\"" +
        between + "\n    }");
  };
  EXPECT_EQ(bracketed(kKind, file("")),
            file(",\n      \"localizations\" : {\n" + localization("de", "needs_review", "[Open]") +
                 "\n      }"));
  EXPECT_EQ(bracketed(kKind, file(",\n      \"shouldTranslate\" : true")),
            file(",\n      \"localizations\" : {\n" + localization("de", "needs_review", "[Open]") +
                 "\n      },\n      \"shouldTranslate\" : true"));
}

TEST(StringCatalogTest, LocalizationsOfOthersStayAndAreInOrder) {
  const std::string english = localization("en", "translated", "One word"),
                    french = localization("fr", "translated", "Un mot"),
                    czech = localization("cs", "needs_review", "Slovo"),
                    german = localization("de", "needs_review", "[One word]");
  EXPECT_EQ(bracketed(kKind, catalog(localized("a.b", english + ",\n" + french))),
            catalog(localized("a.b", german + ",\n" + english + ",\n" + french)));
  EXPECT_EQ(bracketed(kKind, catalog(localized("a.b", czech + ",\n" + english))),
            catalog(localized("a.b", czech + ",\n" + german + ",\n" + english)));
  const std::string of_key = localization("de", "needs_review", "[A word]");
  EXPECT_EQ(bracketed(kKind, catalog(localized("A word", czech))),
            catalog(localized("A word", czech + ",\n" + of_key)));
  EXPECT_EQ(bracketed(kKind, catalog(localized("A word", ""))),
            catalog(localized("A word", of_key)));
}

TEST(StringCatalogTest, WhatIsTranslatedOrStaysIsNoSegment) {
  const std::string file =
      catalog(localized("Yes", localization("de", "translated", "Ja")) + ",\n" +
              localized("No", localization("de", "needs_review", "Nein")) +
              ",\n    \"ACME\" : {\n      \"shouldTranslate\" : false\n    },\n    \"%lld\" : {\n\n"
              "    }");
  EXPECT_THAT(segments_of(kKind, file), ElementsAre());
  EXPECT_EQ(bracketed(kKind, file), file);
}

TEST(StringCatalogTest, NewUnitsOfTheTargetAreTranslated) {
  const std::string english = localization("en", "translated", "One word");
  EXPECT_EQ(
      bracketed(kKind,
                catalog(localized("a", localization("de", "new", "old text") + ",\n" + english))),
      catalog(localized("a", localization("de", "needs_review", "[One word]") + ",\n" + english)));
  const std::string forms =
      plural("en", "translated", {{"one", "%lld word"}, {"other", "%lld words"}});
  const std::string half =
      "        \"de\" : {\n          \"variations\" : {\n            \"plural\" : {\n              "
      "\"one\" : " +
      unit("              ", "translated", "%lld Wort") + ",\n              \"other\" : ";
  const std::string end = "\n            }\n          }\n        }";
  EXPECT_EQ(bracketed(kKind, catalog(localized("a", half + unit("              ", "new", "") + end +
                                                        ",\n" + forms))),
            catalog(localized("a", half + unit("              ", "needs_review", "[%lld words]") +
                                       end + ",\n" + forms)));
}

TEST(StringCatalogTest, PluralsGetTheFormsOfTheLanguage) {
  const std::string english =
      plural("en", "translated", {{"one", "%lld word"}, {"other", "%lld words"}});
  const std::string file = catalog(localized("%lld words", english));
  EXPECT_EQ(bracketed(kKind, file, {"en", "pl"}),
            catalog(localized("%lld words", english + ",\n" +
                                                plural("pl", "needs_review",
                                                       {{"few", "[%lld words]"},
                                                        {"many", "[%lld words]"},
                                                        {"one", "[%lld word]"},
                                                        {"other", "[%lld words]"}}))));
  EXPECT_EQ(bracketed(kKind, file, {"en", "ja"}),
            catalog(localized(
                "%lld words",
                english + ",\n" + plural("ja", "needs_review", {{"other", "[%lld words]"}}))));
  const std::string with_zero = plural(
      "en", "translated", {{"one", "%lld word"}, {"other", "%lld words"}, {"zero", "No words"}});
  EXPECT_THAT(
      bracketed(kKind, catalog(localized("a", with_zero)), {"en", "ja"}),
      HasSubstr(plural("ja", "needs_review", {{"other", "[%lld words]"}, {"zero", "[No words]"}})));
}

TEST(StringCatalogTest, DevicesAndSubstitutionsAreTranslated) {
  const std::string file = catalog(
      R"(    "a" : {"localizations" : {"en" : {"stringUnit" : {"state" : "new", "value" : "Found )"
      R"(%#@files@ here"}, "substitutions" : {"files" : {"argNum" : 1, "formatSpecifier" : "lld", )"
      R"("variations" : {"plural" : {"one" : {"stringUnit" : {"state" : "new", "value" : "%arg )"
      R"(file"}}, "other" : {"stringUnit" : {"state" : "new", "value" : "%arg files"}}}}}}}}},)"
      R"( "b" : {"localizations" : {"en" : {"variations" : {"device" : {"iphone" : {"stringUnit" )"
      R"(: {"value" : "Tap it", "state" : "translated"}}, "other" : {"stringUnit" : {"value" : )"
      R"("Click it"}}}}}}})");
  EXPECT_THAT(segments_of(kKind, file),
              ElementsAre("Found %#@files@ here", "%arg file", "%arg files", "Tap it", "Click it"));
  const std::string result = bracketed(kKind, file);
  EXPECT_THAT(
      result,
      HasSubstr(R"({"localizations" : {"de" : {"stringUnit" : {"state" : "needs_review", "value" )"
                R"(: "[Found %#@files@ here]"}, "substitutions" : {"files" : {"argNum" : 1, )"
                R"("formatSpecifier" : "lld", "variations" : {"plural" : {"one" : {"stringUnit" )"
                R"(: {"state" : "needs_review", "value" : "[%arg file]"}})"));
  EXPECT_THAT(result, HasSubstr(R"("value" : "[Tap it]", "state" : "needs_review")"));
  EXPECT_THAT(result, HasSubstr(R"({"value" : "[Click it]"})"));
  for (const std::string text : {"Gefunden hier", "%# @files@ hier", "%#@ files@"}) {
    const auto document = open_document(kKind, file, {"en", "de"});
    std::vector<Translation> all;
    for (const nmt::MarkedText& one : document->segments()) all.push_back(in_source_order(one));
    all.front() = {{text}};
    EXPECT_THAT(document->translated(all), HasSubstr("\"Found %#@files@ here\"")) << text;
    EXPECT_EQ(document->refused(), 1U) << text;
  }
}

TEST(StringCatalogTest, PhrasesHaveOneState) {
  const std::string file =
      catalog(R"(    "a" : {"localizations" : {"en" : {"stringSet" : {"state" : "new", "values" : )"
              R"(["Open ${applicationName}", "Start ${applicationName}"]}}}})");
  EXPECT_THAT(bracketed(kKind, file),
              HasSubstr(R"({"de" : {"stringSet" : {"state" : "needs_review", "values" : ["[Open )"
                        R"(${applicationName}]", "[Start ${applicationName}]"]}},"en" : )"));
}

TEST(StringCatalogTest, OneRegionOfTheLanguageIsTheTarget) {
  const std::string portuguese = localization("pt-BR", "translated", "Uma palavra");
  const auto file = [&](const std::string& other) {
    return catalog(localized("One word", portuguese + other) + ",\n    \"Two words\" : {\n\n    }");
  };
  EXPECT_THAT(bracketed(kKind, file(""), {"en", "pt"}),
              HasSubstr(localization("pt-BR", "needs_review", "[Two words]")));
  EXPECT_THAT(bracketed(kKind, file(",\n" + localization("pt-PT", "translated", "Uma palavra")),
                        {"en", "pt"}),
              HasSubstr(localization("pt", "needs_review", "[Two words]")));
}

TEST(StringCatalogTest, OneLineStaysOneLine) {
  EXPECT_EQ(bracketed(kKind, R"({"sourceLanguage":"en","strings":{"Open it":{}}})"),
            R"({"sourceLanguage":"en","strings":{"Open it":{"localizations":{"de":{"stringUnit":)"
            R"({"state":"needs_review","value":"[Open it]"}}}}}})");
}

TEST(StringCatalogTest, OtherFilesAreRefused) {
  EXPECT_EQ(problem_of(kKind, "{\"a\" : \"b\"}"),
            "the file is not a string catalogue: it has no sourceLanguage or no strings");
  EXPECT_EQ(problem_of(kKind, "[]"),
            "the file is not a string catalogue: it has no sourceLanguage or no strings");
  EXPECT_EQ(problem_of(kKind, R"({"sourceLanguage" : "fr", "strings" : {}})"),
            "sourceLanguage is 'fr', but the request translates from 'en'");
  EXPECT_THAT(problem_of(kKind, "{\n\"strings\" : {]"), HasSubstr("line 2: the JSON is damaged"));
  EXPECT_THAT(problem_of(kKind, catalog("    \"a\" : {\n\n    }"), {.nodes = 3}),
              HasSubstr("the JSON has more than 3 values"));
}

}  // namespace
}  // namespace dietmt::service
