// Checks whether a transfer is fast enough: in every period it must move a quota of bytes. A burst
// earns no credit, so a stall is found as soon after 100 MB as after none.
#pragma once

#include <chrono>
#include <cstdint>

namespace dietmt::service {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  Pace(std::chrono::milliseconds period, int64_t bytes_per_second)
      : period_(period), quota_(bytes_per_second * period.count() / 1000) {}

  void begin() {
    begin_ = Clock::now();
    moved_ = 0;
  }

  void count(size_t bytes) {
    moved_ += static_cast<int64_t>(bytes);
    if (moved_ >= quota_) begin();
  }

  /// Of the quota.
  Clock::time_point deadline() const { return begin_ + period_; }

 private:
  std::chrono::milliseconds period_;
  int64_t quota_;
  Clock::time_point begin_{};
  int64_t moved_ = 0;
};

}  // namespace dietmt::service
