// A line on stderr that is redrawn in place: share done, rate, time left.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace dietmt::reporting {

/// True if stderr is a terminal that can redraw a line, without --quiet.
bool stderr_is_terminal();

/// "1h05m", "3m20s", "12s".
std::string duration_text(double seconds);

/// The text of the bar, at most `columns` wide: [====>    ] 45% 3600/8000, `details`, time left.
/// `total` 0: unknown; `seconds_left` below 0: unknown.
std::string bar_text(int64_t done, int64_t total, const std::string& details, double seconds_left,
                     int columns);

/// Draws nothing unless stderr is a terminal. Log lines stay intact.
class ProgressBar {
 public:
  /// `total`: the amount of work, 0 if unknown; `first`: the part done before.
  explicit ProgressBar(int64_t total, int64_t first = 0);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Changes the amount of work.
  void set_total(int64_t total) { total_ = total; }

  /// `details`: additional text, e.g. "loss 3.12". Redraws at most ten times a second.
  void show(int64_t done, const std::string& details);

  /// Seconds until `total` at the rate so far; below 0 if unknown.
  double seconds_left(int64_t done) const;

  /// Erases the bar; also done by the destructor.
  void finish();

 private:
  struct Eraser;
  using Clock = std::chrono::steady_clock;

  int64_t total_;
  int64_t first_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;
  std::shared_ptr<Eraser> eraser_;  // null if stderr is not a terminal
};

}  // namespace dietmt::reporting
