// What the browser stores for the page.
#include <gmock/gmock.h>

#include "tests/service/page/page_browser_fixture.h"

namespace dietmt::service {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PageMemoryTest : public PageBrowserTest {
 protected:
  void translate(const std::string& text, const std::string& translation) {
    browser_->value("document.getElementById('text').select()");
    browser_->type("#text", text);
    ASSERT_TRUE(browser_->wait_for("document.getElementById('translation').textContent === '" +
                                   translation +
                                   "' && document.getElementById('translation').className === ''"));
  }

  static nlohmann::json history() {
    return browser_->value(
        "[...document.querySelectorAll('#history-list button')].map(b => "
        "[...b.children].map(c => c.textContent).join('|'))");
  }
};

TEST_F(PageMemoryTest, TheTextSurvivesAReload) {
  open();
  browser_->type("#text", "the green house");
  ASSERT_TRUE(wait_for_text("translation", "das grün Haus"));
  browser_->reload();
  EXPECT_TRUE(wait_for_text("translation", "das grün Haus"));
  EXPECT_EQ(property("text", "value"), "the green house");
  EXPECT_EQ(browser_->value("Object.keys(localStorage).filter(k => "
                            "localStorage[k].includes('green') && k !== 'dietmt-history')"),
            nlohmann::json::array())
      << "another tab has its own text";
}

TEST_F(PageMemoryTest, TheHistoryHoldsWholeTextsAndBringsThemBack) {
  open();
  translate("house", "Haus");
  translate("the house", "das Haus");
  browser_->type("#text", " is");
  ASSERT_TRUE(wait_for_text("translation", "das Haus ist"));
  browser_->click("#swap");
  ASSERT_TRUE(wait_for_text("translation", "the house is"));
  ASSERT_TRUE(wait_for_text("history-list", "German → English"));  // stored when the answer arrives
  browser_->reload();
  ASSERT_TRUE(wait_for_text("history-list", "the house is"));
  EXPECT_EQ(history(), (nlohmann::json{"das Haus ist|the house is|German → English",
                                       "the house is|das Haus ist|English → German",
                                       "house|Haus|English → German"}))
      << "text that goes on takes the place of its beginning";
  browser_->click("#history summary");
  browser_->click("#history-list li:last-child button");
  ASSERT_TRUE(wait_for_text("translation", "Haus"));
  EXPECT_EQ(property("text", "value"), "house");
  EXPECT_EQ(property("source", "value"), "en");
  EXPECT_THAT(browser_->complaints(), IsEmpty());
}

TEST_F(PageMemoryTest, TheHistoryCanBeClearedAndLeftOff) {
  open();
  EXPECT_EQ(property("history-clear", "title"), "There is no history.");
  translate("house", "Haus");
  browser_->click("#history summary");
  browser_->click("#history-clear");
  EXPECT_EQ(history(), nlohmann::json::array());
  EXPECT_THAT(browser_->value("localStorage['dietmt-history']").get<std::string>(),
              testing::Not(HasSubstr("house")));
  browser_->click("#history-keep");
  translate("Hello", "Hallo");
  EXPECT_EQ(history(), nlohmann::json::array());
  browser_->reload();
  ASSERT_TRUE(wait_for_text("translation", "Hallo"));
  EXPECT_EQ(property("history-keep", "checked"), false);
}

TEST_F(PageMemoryTest, ABrowserThatKeepsNothingTranslates) {
  open();
  browser_->value(
      "void (Storage.prototype.setItem = () => { throw new DOMException('full', "
      "'QuotaExceededError'); })");
  translate("house", "Haus");
  EXPECT_EQ(property("problem", "hidden"), true);
}

}  // namespace
}  // namespace dietmt::service
