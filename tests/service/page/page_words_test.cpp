// The page in the languages of its readers, its links and its request.
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <set>

#include "service/page/page.h"
#include "tests/service/page/page_browser_fixture.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PageWordsTest : public PageBrowserTest {
 protected:
  // All texts and described controls of the page.
  static std::set<std::string> texts() {
    return browser_
        ->value(R"js((() => {
      const found = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode())
        if (walker.currentNode.parentElement.tagName !== 'NOSCRIPT')
          found.push(walker.currentNode.data.trim().replace(/\s+/g, ' '));
      for (const name of ['aria-label', 'data-empty', 'placeholder', 'title'])
        for (const one of document.querySelectorAll(`[${name}]`)) found.push(one.getAttribute(name));
      return found;
    })())js")
        .get<std::set<std::string>>();
  }
};

TEST_F(PageWordsTest, EveryTextIsInTheReadersLanguage) {
  open();
  const std::set<std::string> english = texts();
  const std::set<std::string> alike = {"", "dietmt", "API", "1", "2", "5", "10", "1 (greedy)"};
  for (const std::string language : {"cs", "de", "es", "fr", "pl", "uk"}) {
    open({.language = language});
    EXPECT_EQ(browser_->value("document.documentElement.lang"), language);
    for (const std::string& text : texts()) {
      const bool is_format = text.find("txt") != std::string::npos;
      EXPECT_TRUE(alike.contains(text) || is_format || !english.contains(text))
          << language << ": " << text;
    }
    browser_->type("#text", "house");
    ASSERT_TRUE(wait_for_text("translation", "Haus")) << language;
    EXPECT_THAT(browser_->complaints(), IsEmpty());
    keep_screenshot("page-" + language);
  }
}

TEST_F(PageWordsTest, ValuesStandWhereTheLanguageWantsThem) {
  open({.language = "de-AT"});
  browser_->type("#text", "house");
  ASSERT_TRUE(wait_for_text("translation", "Haus"));
  EXPECT_EQ(text_of("count"), "5 von 500 Zeichen");
  EXPECT_EQ(property("target", "selectedOptions[0].textContent"), "Deutsch");
  select("target", "cs");
  EXPECT_EQ(property("swap", "title"), "Kein Modell übersetzt Tschechisch in Englisch.");
}

TEST_F(PageWordsTest, OtherReadersGetEnglish) {
  open({.language = "ja"});
  EXPECT_EQ(browser_->value("document.documentElement.lang"), "en");
  EXPECT_EQ(property("swap", "title"), "Swap languages and texts");
}

TEST_F(PageWordsTest, ALinkNamesLanguagesAndText) {
  service_ = std::make_unique<FakeService>(FakeService::Options());
  browser_->open(service_->url() + "?source=de&target=en&q=Haus%20%26%20Hallo", {});
  ASSERT_TRUE(wait_for_text("translation", "house"));
  EXPECT_EQ(property("source", "value"), "de");
  EXPECT_EQ(property("target", "value"), "en");
  EXPECT_EQ(property("text", "value"), "Haus & Hallo");

  browser_->open(service_->url() + "?source=xx&target=en", {});
  ASSERT_TRUE(browser_->wait_for("document.getElementById('target').value !== ''"));
  EXPECT_EQ(property("problem", "hidden"), true) << "languages that the server lacks are left out";
}

TEST_F(PageWordsTest, TheRequestIsShownAsACommand) {
  open();
  browser_->type("#text", "it's the house");
  ASSERT_TRUE(wait_for_text("translation", "Haus"));
  const std::string command = text_of("request");
  EXPECT_THAT(command, HasSubstr("curl " + service_->url() + "v1/translate -H 'Content-Type"));
  EXPECT_THAT(command, HasSubstr(R"("text":"it'\''s the house","source":"en","target":"de")"));
}

std::string content_of(const std::string& name) {
  const auto file = std::ranges::find(page_files(), name, &PageFile::name);
  return file == page_files().end() ? "" : std::string(file->content);
}

TEST(PageWordsFileTest, EveryTextOfTheScriptsIsThere) {
  const std::string words = content_of("words.js");
  const std::regex said(R"(say\(\s*'([^']+)')");
  size_t found = 0;
  for (const PageFile& file : page_files()) {
    const std::string script(file.content);
    for (std::sregex_iterator at(script.begin(), script.end(), said), end; at != end; ++at) {
      EXPECT_THAT(words, HasSubstr("  ['" + (*at)[1].str() + "',")) << file.name;
      ++found;
    }
  }
  EXPECT_GT(found, 40u);
}

}  // namespace
}  // namespace dietmt::service
