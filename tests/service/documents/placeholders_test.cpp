#include "service/documents/placeholders.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/service/connected_texts.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;

using Texts = std::vector<std::string>;

std::vector<Translation> none(const ConnectedTexts& texts) {
  ADD_FAILURE() << "asked for " << testing::PrintToString(texts_of(texts));
  return {};
}

Texts kept(const Texts& segments, const TranslateTexts& translate, const TranslateTexts& mark) {
  return texts_of(translate_keeping_placeholders(unmarked(segments), translate, mark));
}

TEST(KeepingPlaceholdersTest, AGoodTranslationStays) {
  const auto swap = [](const ConnectedTexts&) { return translations({"{1} und {0}"}); };
  EXPECT_THAT(kept({"{0} and {1}"}, swap, none), ElementsAre("{1} und {0}"));
}

// Both passes get all segments, so that each can be the context of the next.
TEST(KeepingPlaceholdersTest, OthersAreTranslatedWithTheirMarkupTakenOut) {
  const Texts segments = {"open %d", "all", "none", "<b>x</b>"};
  const auto lose = [&](const ConnectedTexts& asked) {
    EXPECT_EQ(texts_of(asked), segments);
    EXPECT_THAT(asked.only_context, ElementsAre(false, false, false, true));
    return translations({"lost", "ALL", "{0} invented", "unused"});
  };
  const auto mark = [&](const ConnectedTexts& asked) {
    EXPECT_EQ(texts_of(asked), segments);
    EXPECT_THAT(asked.only_context, ElementsAre(false, true, false, false));
    Texts made;
    for (const std::string& text : texts_of(asked)) made.push_back("<<" + text + ">>");
    return translations(made);
  };
  EXPECT_THAT(kept(segments, lose, mark),
              ElementsAre("<<open %d>>", "ALL", "<<none>>", "<<<b>x</b>>>"));
}

TEST(KeepingPlaceholdersTest, TextsWithTagsOrMarksAreTranslatedOnce) {
  const auto mark = [](const ConnectedTexts&) { return translations({"A"}); };
  EXPECT_THAT(kept({"<b>a</b>"}, none, mark), ElementsAre("A"));
  std::vector<nmt::MarkedText> segments = unmarked({"a"});
  add_mark("<g0/>", segments.front());
  EXPECT_EQ(plain_text(translate_keeping_placeholders(segments, none, mark).front()), "A");
}

TEST(KeepingPlaceholdersTest, TemplatesAroundTextAndChoicesAreTranslatedOnce) {
  const Texts texts = {"{% if a %}a{% endif %}", "a {n, select, x {b} other {c}}", "<0>a</0>"};
  const auto copied = [](const ConnectedTexts& asked) { return unchanged(asked); };
  EXPECT_EQ(kept(texts, none, copied), texts);
}

TEST(KeepingPlaceholdersTest, AnotherNumberOfTextsIsAnError) {
  EXPECT_THROW(kept(
                   {"a"}, [](const ConnectedTexts&) { return translations({}); }, none),
               Error);
}

}  // namespace
}  // namespace dietmt::service
