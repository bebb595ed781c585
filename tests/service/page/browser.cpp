#include "tests/service/page/browser.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "common/child_process.h"
#include "common/error.h"
#include "common/files.h"

namespace dietmt::service {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr auto kPatience = std::chrono::seconds(60);  // it starts slowly on a busy machine

std::string decoded_base64(const std::string& text) {
  static const std::string kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    const size_t value = kDigits.find(digit);
    if (value == std::string::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if ((count += 6) >= 8) bytes.push_back(static_cast<char>(bits >> (count -= 8) & 0xff));
  }
  return bytes;
}

// In the child: the pipes become the files that --remote-debugging-pipe reads and writes.
[[noreturn]] void become_browser(const std::string& program, const fs::path& profile, int from_test,
                                 int to_test) {
  constexpr int kFromTest = 3, kToTest = 4;
  const int copy = ::fcntl(to_test, F_DUPFD, 10), other = ::fcntl(from_test, F_DUPFD, 10);
  ::dup2(other, kFromTest);
  ::dup2(copy, kToTest);
  ::close(copy);
  ::close(other);
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, STDOUT_FILENO);
  ::dup2(null, STDERR_FILENO);
  ::setpgid(0, 0);
  const std::string folder = "--user-data-dir=" + profile.string();
  ::execl(program.c_str(), program.c_str(), "--headless=new", "--no-sandbox", "--disable-gpu",
          "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
          "--host-resolver-rules=MAP *.example 127.0.0.1", "--remote-debugging-pipe",
          folder.c_str(), "about:blank", nullptr);
  ::_exit(127);
}

}  // namespace

std::string Browser::program() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (std::string path = program_on_path(name); !path.empty()) return path;
  return "";
}

Browser::Browser(const fs::path& profile) {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> down{}, up{};
  if (::pipe2(down.data(), O_CLOEXEC) != 0 || ::pipe2(up.data(), O_CLOEXEC) != 0)
    throw Error("no pipes for the browser");
  process_ = ::fork();
  if (process_ == 0) become_browser(program(), profile, down[0], up[1]);
  ::close(down[0]);
  ::close(up[1]);
  to_browser_ = down[1];
  from_browser_ = up[0];
  call("Browser.getVersion");
}

Browser::~Browser() {
  try {
    session_.clear();
    call("Browser.close");
  } catch (const Error&) {
    // It is killed below.
  }
  ::close(to_browser_);
  ::close(from_browser_);
  for (int tries = 0; tries < 50 && ::waitpid(process_, nullptr, WNOHANG) == 0; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ::kill(-process_, SIGKILL);
  ::waitpid(process_, nullptr, WNOHANG);
}

void Browser::open(const std::string& url, const Screen& screen) {
  session_.clear();
  if (!target_.empty()) call("Target.closeTarget", {{"targetId", target_}});
  complaints_.clear();
  target_ = call("Target.createTarget", {{"url", "about:blank"}}).at("targetId");
  session_ =
      call("Target.attachToTarget", {{"targetId", target_}, {"flatten", true}}).at("sessionId");
  for (const char* domain : {"Page", "Runtime", "Log", "DOM"})
    call(std::string(domain) + ".enable");
  call("Emulation.setDeviceMetricsOverride", {{"width", screen.width},
                                              {"height", screen.height},
                                              {"deviceScaleFactor", 1},
                                              {"mobile", screen.phone}});
  call("Emulation.setEmulatedMedia",
       {{"features",
         {{{"name", "prefers-color-scheme"}, {"value", screen.dark ? "dark" : "light"}}}}});
  if (!screen.language.empty())
    call("Emulation.setUserAgentOverride",
         {{"userAgent", "tests"}, {"acceptLanguage", screen.language}});
  loaded_ = false;
  call("Page.navigate", {{"url", url}});
  while (!loaded_) note_event(receive());
}

json Browser::value(const std::string& expression) {
  const json answer =
      call("Runtime.evaluate",
           {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (answer.contains("exceptionDetails"))
    throw Error(expression + ": " + answer.at("exceptionDetails").dump());
  return answer.at("result").value("value", json());
}

bool Browser::wait_for(const std::string& expression) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    if (value("Boolean(" + expression + ")") == true) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

void Browser::type(const std::string& selector, const std::string& text) {
  value("document.querySelector(" + json(selector).dump() + ").focus()");
  call("Input.insertText", {{"text", text}});
}

void Browser::press(const std::string& key, int code) {
  for (const char* type : {"keyDown", "keyUp"})
    call("Input.dispatchKeyEvent",
         {{"type", type}, {"key", key}, {"code", key}, {"windowsVirtualKeyCode", code}});
}

void Browser::paste(const std::string& selector) {
  value("document.querySelector(" + json(selector).dump() + ").focus()");
  call("Input.dispatchKeyEvent", {{"type", "keyDown"}, {"key", "v"}, {"commands", {"paste"}}});
  call("Input.dispatchKeyEvent", {{"type", "keyUp"}, {"key", "v"}});
}

void Browser::reload() {
  loaded_ = false;
  call("Page.reload");
  while (!loaded_) note_event(receive());
}

void Browser::click(const std::string& selector) {
  const json at = value("(() => { const e = document.querySelector(" + json(selector).dump() +
                        "); e.scrollIntoView({block: 'center'}); const r = "
                        "e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / "
                        "2]; })()");
  for (const char* type : {"mousePressed", "mouseReleased"})
    call("Input.dispatchMouseEvent",
         {{"type", type}, {"x", at[0]}, {"y", at[1]}, {"button", "left"}, {"clickCount", 1}});
}

void Browser::choose_file(const std::string& selector, const fs::path& file) {
  const json root = call("DOM.getDocument").at("root");
  const json node =
      call("DOM.querySelector", {{"nodeId", root.at("nodeId")}, {"selector", selector}});
  call("DOM.setFileInputFiles", {{"nodeId", node.at("nodeId")}, {"files", {file.string()}}});
}

void Browser::screenshot(const fs::path& file) {
  const json answer =
      call("Page.captureScreenshot", {{"format", "png"}, {"captureBeyondViewport", true}});
  write_file_atomically(file, decoded_base64(answer.at("data")));
}

json Browser::call(const std::string& method, json parameters) {
  json message = {{"id", ++last_id_}, {"method", method}};
  if (!parameters.is_null()) message["params"] = std::move(parameters);
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(to_browser_, text.data() + done, text.size() - done);
    if (written <= 0) throw Error("the browser has gone");
    done += static_cast<size_t>(written);
  }
  for (;;) {
    const json answer = receive();
    if (answer.value("id", 0) != last_id_) {
      note_event(answer);
      continue;
    }
    if (answer.contains("error")) throw Error(method + ": " + answer.at("error").dump());
    return answer.at("result");
  }
}

json Browser::receive() {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    if (const size_t length = received_.find('\0'); length != std::string::npos) {
      json message = json::parse(received_.substr(0, length));
      received_.erase(0, length + 1);
      return message;
    }
    pollfd ready = {from_browser_, POLLIN, 0};
    ::poll(&ready, 1, 1000);
    std::array<char, 1 << 16> block{};
    const ssize_t got = ready.revents != 0 ? ::read(from_browser_, block.data(), block.size()) : -1;
    if (got == 0 || std::chrono::steady_clock::now() > end)
      throw Error("the browser does not answer");
    if (got > 0) received_.append(block.data(), static_cast<size_t>(got));
  }
}

void Browser::note_event(const json& message) {
  const std::string method = message.value("method", "");
  if (message.value("sessionId", "") != session_) return;
  if (method == "Page.loadEventFired") loaded_ = true;
  if (method == "Runtime.exceptionThrown" || method == "Runtime.consoleAPICalled" ||
      method == "Log.entryAdded")
    complaints_.push_back(message.at("params").dump());
}

}  // namespace dietmt::service
