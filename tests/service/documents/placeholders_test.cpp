#include "service/documents/placeholders.h"

#include <gmock/gmock.h>

#include "common/error.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;

using Texts = std::vector<std::string>;

Texts no_texts(const ConnectedTexts& texts) {
  ADD_FAILURE() << "asked for " << testing::PrintToString(texts.texts);
  return texts.texts;
}

TEST(KeepingPlaceholdersTest, AGoodTranslationStays) {
  const auto swap = [](const ConnectedTexts&) { return Texts{"{1} und {0}"}; };
  EXPECT_THAT(translate_keeping_placeholders({"{0} and {1}"}, swap, no_texts),
              ElementsAre("{1} und {0}"));
}

// Both passes get all segments, so that each can be the context of the next.
TEST(KeepingPlaceholdersTest, OthersAreTranslatedWithTheirMarkupTakenOut) {
  const Texts segments = {"open %d", "all", "none", "<b>x</b>"};
  const auto lose = [&](const ConnectedTexts& asked) {
    EXPECT_EQ(asked.texts, segments);
    EXPECT_THAT(asked.only_context, ElementsAre(false, false, false, true));
    return Texts{"lost", "ALL", "{0} invented", "unused"};
  };
  const auto mark = [&](const ConnectedTexts& asked) {
    EXPECT_EQ(asked.texts, segments);
    EXPECT_THAT(asked.only_context, ElementsAre(false, true, false, false));
    Texts translations;
    for (const std::string& text : asked.texts) translations.push_back("<<" + text + ">>");
    return translations;
  };
  EXPECT_THAT(translate_keeping_placeholders(segments, lose, mark),
              ElementsAre("<<open %d>>", "ALL", "<<none>>", "<<<b>x</b>>>"));
}

TEST(KeepingPlaceholdersTest, TextsWithTagsAreTranslatedOnce) {
  const auto mark = [](const ConnectedTexts&) { return Texts{"<b>A</b>"}; };
  EXPECT_THAT(translate_keeping_placeholders({"<b>a</b>"}, no_texts, mark),
              ElementsAre("<b>A</b>"));
}

TEST(KeepingPlaceholdersTest, TemplatesAroundTextAndChoicesAreTranslatedOnce) {
  const auto same = [](const ConnectedTexts& asked) { return asked.texts; };
  const Texts texts = {"{% if a %}a{% endif %}", "a {n, select, x {b} other {c}}", "<0>a</0>"};
  EXPECT_EQ(translate_keeping_placeholders(texts, no_texts, same), texts);
}

TEST(KeepingPlaceholdersTest, AnotherNumberOfTextsIsAnError) {
  EXPECT_THROW(translate_keeping_placeholders(
                   {"a"}, [](const ConnectedTexts&) { return Texts{}; }, no_texts),
               Error);
}

}  // namespace
}  // namespace dietmt::service
