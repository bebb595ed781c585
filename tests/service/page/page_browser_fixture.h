// The page in headless Chromium, with a server that sends canned answers. DIETMT_SCREENSHOTS=DIR
// saves screenshots there.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "tests/common/scratch.h"
#include "tests/service/page/browser.h"
#include "tests/service/page/fake_service.h"

namespace dietmt::service {

class PageBrowserTest : public ScratchTest {
 protected:
  // All tests share one browser; each has a different server and therefore a different origin.
  static void SetUpTestSuite() {
    if (Browser::program().empty()) return;
    profile_ = std::filesystem::temp_directory_path() /
               ("dietmt_page_browser_" + std::to_string(::getpid()));
    browser_ = std::make_unique<Browser>(profile_);
  }
  static void TearDownTestSuite() {
    browser_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(profile_, ignored);
  }

  void SetUp() override {
    if (!browser_) GTEST_SKIP() << "no chromium or google-chrome on the PATH";
  }

  void open(const Browser::Screen& screen = {}, const FakeService::Options& options = {},
            const std::string& host = "127.0.0.1") {
    service_ = std::make_unique<FakeService>(options);
    browser_->open(service_->url(host), screen);
    ASSERT_TRUE(browser_->wait_for("document.getElementById('target').value === 'de'"));
  }

  static nlohmann::json property(const std::string& id, const std::string& name) {
    return browser_->value("document.getElementById('" + id + "')." + name);
  }
  static void select(const std::string& id, const std::string& value) {
    browser_->value("{ const s = document.getElementById('" + id + "'); s.value = '" + value +
                    "'; s.dispatchEvent(new Event('change')); }");
  }

  static std::string text_of(const std::string& id) {
    return browser_->value("document.getElementById('" + id + "').textContent");
  }
  static bool wait_for_text(const std::string& id, const std::string& text) {
    return browser_->wait_for("document.getElementById('" + id + "').textContent.includes(" +
                              nlohmann::json(text).dump() + ")");
  }

  static void open_closer_look() {
    browser_->click("#closer summary");
    ASSERT_TRUE(browser_->wait_for("document.getElementById('alternatives').checkVisibility()"));
  }

  static void keep_screenshot(const std::string& name) {
    if (const char* folder = std::getenv("DIETMT_SCREENSHOTS"))
      browser_->screenshot(std::filesystem::path(folder) / (name + ".png"));
  }

  static inline std::filesystem::path profile_;
  static inline std::unique_ptr<Browser> browser_;
  std::unique_ptr<FakeService> service_;
};

}  // namespace dietmt::service
