#include "service/documents/placeholders.h"

#include <gmock/gmock.h>

#include "common/error.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;

using Texts = std::vector<std::string>;

Texts no_texts(const Texts& texts) {
  EXPECT_THAT(texts, testing::IsEmpty());
  return texts;
}

TEST(KeepingPlaceholdersTest, AGoodTranslationStays) {
  const auto swap = [](const Texts&) { return Texts{"{1} und {0}"}; };
  EXPECT_THAT(translate_keeping_placeholders({"{0} and {1}"}, swap, no_texts),
              ElementsAre("{1} und {0}"));
}

TEST(KeepingPlaceholdersTest, OthersAreTranslatedWithTheirMarkupTakenOut) {
  const auto lose = [](const Texts&) { return Texts{"lost", "ALL", "{0} invented"}; };
  Texts asked;
  const auto mark = [&](const Texts& texts) {
    asked = texts;
    Texts translations;
    for (const std::string& text : texts) translations.push_back("<<" + text + ">>");
    return translations;
  };
  EXPECT_THAT(translate_keeping_placeholders({"open %d", "all", "none", "<b>x</b>"}, lose, mark),
              ElementsAre("<<open %d>>", "ALL", "<<none>>", "<<<b>x</b>>>"));
  EXPECT_THAT(asked, ElementsAre("open %d", "none", "<b>x</b>"));
}

TEST(KeepingPlaceholdersTest, TextsWithTagsAreTranslatedOnce) {
  const auto mark = [](const Texts&) { return Texts{"<b>A</b>"}; };
  EXPECT_THAT(translate_keeping_placeholders({"<b>a</b>"}, no_texts, mark),
              ElementsAre("<b>A</b>"));
}

TEST(KeepingPlaceholdersTest, TemplatesAroundTextAndChoicesAreTranslatedOnce) {
  const auto same = [](const Texts& texts) { return texts; };
  const Texts texts = {"{% if a %}a{% endif %}", "a {n, select, x {b} other {c}}", "<0>a</0>"};
  EXPECT_EQ(translate_keeping_placeholders(texts, no_texts, same), texts);
}

TEST(KeepingPlaceholdersTest, AnotherNumberOfTextsIsAnError) {
  EXPECT_THROW(translate_keeping_placeholders(
                   {"a"}, [](const Texts&) { return Texts{}; }, no_texts),
               Error);
}

}  // namespace
}  // namespace dietmt::service
