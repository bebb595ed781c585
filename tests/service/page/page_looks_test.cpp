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

TEST_F(PageLooksTest, TheKeyBoxFitsAPhone) {
  open({390, 844, true, false}, {.key = "secret"});
  ASSERT_EQ(property("key-box", "open"), true);
  EXPECT_LE(browser_->value("document.scrollingElement.scrollWidth").get<int>(), 390);
  for (const char* selector : {"#key", "#key-form button", "#key-form label", "#key-box summary"}) {
    const json edges =
        browser_->value("(({left, right}) => [left, right])(document.querySelector('" +
                        std::string(selector) + "').getBoundingClientRect())");
    EXPECT_GE(edges[0].get<double>(), 0.0) << selector;
    EXPECT_LE(edges[1].get<double>(), 390.0) << selector;
  }
  EXPECT_GE(
      browser_->value("document.getElementById('key').getBoundingClientRect().width").get<double>(),
      200.0);
  keep_screenshot("phone-key");
}

TEST_F(PageLooksTest, FromAndToAreAlignedWithTheirTexts) {
  for (const bool phone : {false, true}) {
    open({phone ? 390 : 1280, 900, phone, false});
    const auto edge = [&](const char* selector, const char* name) {
      return browser_
          ->value("document.querySelector('" + std::string(selector) +
                  "').getBoundingClientRect()." + name)
          .get<double>();
    };
    for (const char* name : {"top", "bottom"}) {
      EXPECT_EQ(edge("#source", name), edge("#target", name)) << name;
      EXPECT_EQ(edge("label[for=source]", name), edge("label[for=target]", name)) << name;
    }
    EXPECT_EQ(edge("#source", "left"), edge(".panel", "left"));
    EXPECT_EQ(edge("#target", "left"), edge("label[for=target]", "left"));
    if (!phone) {
      EXPECT_EQ(edge("#target", "left"), edge(".panel:nth-child(2)", "left"));
    }
  }
}

TEST_F(PageLooksTest, HelpAndTheApiAreLinked) {
  open();
  EXPECT_EQ(browser_->value("[...document.querySelectorAll('nav a')].map(a => a.pathname)"),
            json({"/page/help.html", "/docs"}));
  for (const auto& [name, screen] : std::vector<std::pair<std::string, Browser::Screen>>{
           {"help-desktop", {1280, 900, false, false}},
           {"help-phone-dark", {390, 844, true, true}}}) {
    browser_->open(service_->url() + "page/help.html", screen);
    EXPECT_LE(browser_->value("document.scrollingElement.scrollWidth").get<int>(), screen.width);
    EXPECT_EQ(browser_->value("document.querySelector('nav a').pathname"), "/");
    keep_screenshot(name);
  }
  EXPECT_TRUE(browser_->complaints().empty());
}

// Contrast as WCAG 2 defines it: 4.5 for text.
constexpr const char* kContrast = R"((() => {
  const rgb = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => (v /= 255) <= 0.04045
    ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const background = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  const low = [];
  for (const e of document.querySelectorAll('body *')) {
    if (!e.checkVisibility() || e.disabled || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(background(e))].sort((x, y) => y - x);
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
    browser_->click("#history summary");
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
