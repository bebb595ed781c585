#include "service/documents/placeholders.h"

#include <gmock/gmock.h>

#include "common/error.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PlaceholdersTest, OfMessagesAndMarkup) {
  EXPECT_THAT(placeholders_in("%s of %1$-5.2lf, 5%% %(name)s"),
              ElementsAre("%s", "%1$-5.2lf", "%%", "%(name)s"));
  EXPECT_THAT(placeholders_in("{} {0} {name:>3} ${x} {{ user }}"),
              ElementsAre("{}", "{0}", "{name:>3}", "${x}", "{{ user }}"));
  EXPECT_THAT(placeholders_in("<b>a</b><br/> &amp; &#x20;"),
              ElementsAre("<b>", "</b>", "<br/>", "&amp;", "&#x20;"));
  EXPECT_THAT(placeholders_in("100 % done, 5% of a < b & c; {open $5"), IsEmpty());
}

using Texts = std::vector<std::string>;

TEST(KeepingPlaceholdersTest, AGoodTranslationStays) {
  const auto swap = [](const Texts&) { return Texts{"{1} und {0}"}; };
  EXPECT_THAT(translate_keeping_placeholders({"{0} and {1}"}, swap), ElementsAre("{1} und {0}"));
}

TEST(KeepingPlaceholdersTest, OtherwiseThePartsAreTranslated) {
  std::vector<Texts> asked;
  const auto lose = [&](const Texts& texts) {
    asked.push_back(texts);
    Texts translations;
    for (const std::string& text : texts)
      translations.push_back(text.find('%') == text.npos ? "<<" + text + ">>" : "lost");
    return translations;
  };
  EXPECT_THAT(translate_keeping_placeholders({"%s: open %d files.", "all", "%s"}, lose),
              ElementsAre("%s<<: open>> %d <<files.>>", "<<all>>", "%s"));
  EXPECT_EQ(asked.size(), 2U);
}

TEST(KeepingPlaceholdersTest, AnInventedPlaceholderIsNoGoodTranslation) {
  int calls = 0;
  const auto invent = [&](const Texts&) { return Texts{++calls == 1 ? "a {0}" : "A B"}; };
  EXPECT_THAT(translate_keeping_placeholders({"a b"}, invent), ElementsAre("A B"));
}

TEST(KeepingPlaceholdersTest, AnotherNumberOfTextsIsAnError) {
  EXPECT_THROW(translate_keeping_placeholders({"a"}, [](const Texts&) { return Texts{}; }), Error);
}

}  // namespace
}  // namespace dietmt::service
