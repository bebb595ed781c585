// Tokens per second of a decoder while it is busy. Idle time does not count, so that the rate
// predicts how long the waiting work will take.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>

namespace dietmt::service {

/// A mean that decays over 30 seconds of busy time.
class DecoderSpeed {
 public:
  using Clock = std::chrono::steady_clock;

  /// The decoder was idle and becomes busy.
  void start(Clock::time_point now) { last_ = now; }

  /// Counts tokens done since start() or the last call.
  void add(int64_t tokens, Clock::time_point now) {
    constexpr double kMemory = 30.0;
    const double elapsed = std::chrono::duration<double>(now - last_).count();
    const double kept = std::exp(-elapsed / kMemory);
    tokens_ = tokens_ * kept + static_cast<double>(tokens);
    seconds_ = seconds_ * kept + elapsed;
    last_ = now;
  }

  /// 0 before the first add().
  double tokens_per_second() const { return seconds_ > 0.0 ? tokens_ / seconds_ : 0.0; }

 private:
  double tokens_ = 0.0;
  double seconds_ = 0.0;
  Clock::time_point last_;
};

}  // namespace dietmt::service
