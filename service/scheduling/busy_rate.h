// Tokens per second of a decoder while it has something to decode: idle time does not count, so
// that the figure tells how long what waits now will take.
#pragma once

#include <chrono>
#include <cstdint>

namespace dietmt::service {

/// A mean whose memory fades with 30 seconds of busy time.
class BusyRate {
 public:
  using Clock = std::chrono::steady_clock;

  /// The decoder was idle and is not any more.
  void start(Clock::time_point now) { last_ = now; }

  /// So many tokens are done since start() or the last call.
  void add(int64_t tokens, Clock::time_point now);

  /// 0: nothing was measured yet.
  double tokens_per_second() const { return seconds_ > 0.0 ? tokens_ / seconds_ : 0.0; }

 private:
  double tokens_ = 0.0;
  double seconds_ = 0.0;
  Clock::time_point last_;
};

}  // namespace dietmt::service
