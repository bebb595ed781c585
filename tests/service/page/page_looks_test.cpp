// The layout and accessibility of the page.
#include <gmock/gmock.h>

#include "tests/service/page/page_browser_fixture.h"

namespace dietmt::service {
namespace {

using nlohmann::json;

class PageLooksTest : public PageBrowserTest {};

TEST_F(PageLooksTest, EveryControlHasANameAndRoomForAFinger) {
  open({390, 844, true, false});
  browser_->type("#text", "the house is small");
  ASSERT_TRUE(wait_for_text("translation", "das Haus ist klein"));
  open_closer_look();
  EXPECT_EQ(browser_->value(
                "[...document.querySelectorAll('button, input, select, textarea')].filter(e => "
                "!e.ariaLabel && !e.textContent.trim() && !e.labels?.length).map(e => e.id)"),
            json::array());
  EXPECT_EQ(browser_->value("[...document.querySelectorAll('select')].filter(e => !e.labels.length)"
                            ".map(e => e.id)"),
            json::array());
  EXPECT_EQ(browser_->value(
                "[...document.querySelectorAll('button, select, summary')].filter(e => "
                "e.checkVisibility() && e.getBoundingClientRect().height < 40).map(e => e.id || "
                "e.textContent)"),
            json::array());
}

// Contrast as WCAG 2 defines it: 4.5 for text.
constexpr const char* kContrast = R"((() => {
  const rgb = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => (v /= 255) <= 0.04045
    ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  const low = [];
  for (const e of document.querySelectorAll('body *')) {
    if (!e.checkVisibility() || e.disabled || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) low.push(`${e.tagName} ${e.id} ${ratio.toFixed(2)}`);
  }
  return low;
})())";

TEST_F(PageLooksTest, LooksRightOnScreensOfAllKinds) {
  for (const auto& [name, screen] : std::vector<std::pair<std::string, Browser::Screen>>{
           {"desktop-light", {1280, 1400, false, false}},
           {"desktop-dark", {1280, 1400, false, true}},
           {"phone-light", {390, 2600, true, false}},
           {"phone-dark", {390, 2600, true, true}}}) {
    open(screen);
    browser_->type("#text", "the house is small and the garden is green\nHello unknown world");
    ASSERT_TRUE(wait_for_text("translation", "Hallo unknown Welt"));
    browser_->choose_file("#file", write("endless.txt", "Hello\n"));
    ASSERT_TRUE(wait_for_text("jobs", "Cancel"));
    open_closer_look();
    browser_->click("#map-form button");
    ASSERT_TRUE(browser_->wait_for("document.querySelector('#map table')"));
    EXPECT_LE(browser_->value("document.scrollingElement.scrollWidth").get<int>(), screen.width)
        << name;
    EXPECT_EQ(browser_->value(kContrast), json::array()) << name;
    keep_screenshot(name);
    browser_->value("document.getElementById('text').select()");
    browser_->type("#text", "fail");
    ASSERT_TRUE(wait_for_text("problem-text", "cannot be loaded"));
    EXPECT_EQ(browser_->value(kContrast), json::array()) << name << " with an error";
    keep_screenshot(name + "-error");
    browser_->click("#problem-close");
    EXPECT_EQ(browser_->value("document.getElementById('problem').hidden"), true);
  }
}

}  // namespace
}  // namespace dietmt::service
