// Headless Chromium, controlled through the DevTools protocol over two pipes.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dietmt::service {

class Browser {
 public:
  /// The program's path, or "" if none is installed.
  static std::string program();

  /// Starts the browser with a separate profile in `profile`; all hosts below .example are this
  /// machine. Throws Error.
  explicit Browser(const std::filesystem::path& profile);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  struct Screen {
    int width = 1280;
    int height = 900;
    bool phone = false;
    bool dark = false;
    std::string language = {};  // that the reader prefers; empty: the browser's
  };

  /// Loads a page into a new tab, which replaces the previous one, and waits until it is loaded.
  void open(const std::string& url, const Screen& screen);

  /// The value of a JavaScript expression; waits for promises. Throws Error with the text of an
  /// exception.
  nlohmann::json value(const std::string& expression);

  /// Waits until the expression is true. Returns false after ten seconds.
  bool wait_for(const std::string& expression);

  /// Focuses the element and types into it, as a user would.
  void type(const std::string& selector, const std::string& text);
  void press(const std::string& key, int code);
  /// Pastes the last copied text.
  void paste(const std::string& selector);
  void reload();
  void click(const std::string& selector);
  void choose_file(const std::string& selector, const std::filesystem::path& file);

  /// Writes an image of the whole page as PNG.
  void screenshot(const std::filesystem::path& file);

  /// Exceptions of the page, console messages and policy violations since open().
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  nlohmann::json call(const std::string& method, nlohmann::json parameters = {});
  nlohmann::json receive();
  void note_event(const nlohmann::json& message);

  pid_t process_ = -1;
  int to_browser_ = -1;
  int from_browser_ = -1;
  int last_id_ = 0;
  std::string received_;  // not yet processed
  std::string target_;
  std::string session_;
  bool loaded_ = false;
  std::vector<std::string> complaints_;
};

}  // namespace dietmt::service
