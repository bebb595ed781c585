#include "service/documents/placeholders.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "common/error.h"
#include "nmt/alignment/mark_syntax.h"
#include "nmt/alignment/placeholders.h"
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

std::string joined_words(const Texts& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

TEST(KeepingPlaceholdersTest, RepeatedPlaceholdersAndTagsAreThereAsOftenAsBefore) {
  const Texts pool = {"{name}", "{name}", "%s", "<b>one</b>", "<b>a <i>b</i></b>", "<b>", "two"};
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    Texts words;
    for (size_t i = 0; i < 3 + seed % 6; ++i) words.push_back(pool[random() % pool.size()]);
    words.emplace_back("end");
    const std::string text = joined_words(words);
    nmt::MarkedText segment = with_marks(text, nmt::placeholders_in(text));
    for (nmt::InlineMark& mark : segment.marks)
      mark.kind = nmt::syntax_of(mark.parts.front().text).kind;
    nmt::find_partners(segment.marks);
    const auto permuted = [&](const ConnectedTexts& asked) {
      Texts other = words;
      other.push_back(words[random() % words.size()]);
      std::ranges::shuffle(other, random);
      return std::vector<Translation>(asked.texts.size(), Translation{{joined_words(other)}});
    };
    const auto placed = [&](const ConnectedTexts&) {
      Texts other = {"zwei", "end", "eins", "two", "one"};
      std::ranges::shuffle(other, random);
      return std::vector<Translation>{
          nmt::place_markup(nmt::take_out_markup(segment, nmt::KeptKinds()), joined_words(other))};
    };
    const Translation found = translate_keeping_placeholders({segment}, permuted, placed).front();
    EXPECT_TRUE(has_all_marks(found, segment)) << text << " became " << nmt::join(found);
  }
}

TEST(KeepingPlaceholdersTest, AnotherNumberOfTextsIsAnError) {
  EXPECT_THROW(kept(
                   {"a"}, [](const ConnectedTexts&) { return translations({}); }, none),
               Error);
}

}  // namespace
}  // namespace dietmt::service
