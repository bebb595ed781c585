#include "reporting/progress_bar.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "common/logging.h"

namespace dietmt::reporting {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};

int terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

// A log sink before the others that erases the bar before a line is printed.
struct ProgressBar::Eraser : spdlog::sinks::base_sink<std::mutex> {
  void draw(const std::string& text) {
    const std::scoped_lock guard(mutex_);
    print("\r\x1b[K" + text);
    visible = true;
  }
  void erase() {
    const std::scoped_lock guard(mutex_);
    erase_locked();
  }
  void sink_it_(const spdlog::details::log_msg&) override { erase_locked(); }
  void flush_() override {}
  void erase_locked() {
    if (visible) print("\r\x1b[K");
    visible = false;
  }
  bool visible = false;
};

bool stderr_is_terminal() {
  const char* kind = std::getenv("TERM");
  return !is_quiet() && ::isatty(STDERR_FILENO) == 1 && kind != nullptr &&
         std::string(kind) != "dumb";
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
  char text[48];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%lldh%02lldm", whole / 3600, whole / 60 % 60);
  } else if (whole >= 60) {
    std::snprintf(text, sizeof text, "%lldm%02llds", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%llds", whole);
  }
  return text;
}

std::string bar_text(int64_t done, int64_t total, const std::string& details, double seconds_left,
                     int columns) {
  std::string text = std::to_string(done);
  double share = 0;
  if (total > 0) {
    share = std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
    text =
        std::to_string(static_cast<int>(share * 100)) + "% " + text + "/" + std::to_string(total);
  }
  if (!details.empty()) text += "  " + details;
  if (seconds_left >= 0) text += "  " + duration_text(seconds_left) + " left";
  const int room = std::min(columns - 1 - static_cast<int>(text.size()) - 3, 30);
  if (total > 0 && room >= 8) {
    std::string bar(static_cast<size_t>(room), ' ');
    const auto filled = static_cast<size_t>(share * room);
    std::fill_n(bar.begin(), filled, '=');
    if (filled < bar.size()) bar[filled] = '>';
    text = "[" + bar + "] " + text;
  }
  return text.substr(0, static_cast<size_t>(std::max(columns - 1, 0)));
}

ProgressBar::ProgressBar(int64_t total, int64_t first) : total_(total), first_(first) {
  if (!stderr_is_terminal()) return;
  eraser_ = std::make_shared<Eraser>();
  auto& sinks = spdlog::default_logger()->sinks();
  sinks.insert(sinks.begin(), eraser_);
}

ProgressBar::~ProgressBar() {
  if (!eraser_) return;
  finish();
  std::erase(spdlog::default_logger()->sinks(), eraser_);
}

void ProgressBar::show(int64_t done, const std::string& details) {
  const Clock::time_point now = Clock::now();
  if (!eraser_ || (now - drawn_ < kRedraw && done < total_)) return;
  drawn_ = now;
  eraser_->draw(bar_text(done, total_, details, seconds_left(done), terminal_columns()));
}

double ProgressBar::seconds_left(int64_t done) const {
  if (total_ <= 0 || done <= first_) return -1;
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  return spent / static_cast<double>(done - first_) * static_cast<double>(total_ - done);
}

void ProgressBar::finish() {
  if (eraser_) eraser_->erase();
}

}  // namespace dietmt::reporting
