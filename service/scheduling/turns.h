// Turns at work that only a few requests may do at a time. Those that wait are called in fair
// order: small ones first, batch jobs last, and no client waits for all requests of another. Some
// turns may be kept for small requests, so that these do not wait for a large one to end either.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "service/scheduling/fair_order.h"
#include "service/scheduling/patience.h"

namespace dietmt::service {

class Turns {
 public:
  /// Small requests have up to 64 KB.
  explicit Turns(int64_t at_once, int64_t only_for_small = 0) : left_{at_once, only_for_small} {}

  /// Lasts until it is destroyed.
  class Turn {
   public:
    Turn(Turns& turns, size_t lane) : turns_(&turns), lane_(lane) {}
    Turn(Turn&& other) noexcept
        : turns_(std::exchange(other.turns_, nullptr)), lane_(other.lane_) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (turns_ != nullptr) turns_->end(lane_);
    }

   private:
    Turns* turns_;
    const size_t lane_;
  };

  /// Waits for a turn at so many bytes. Throws DeadlineExceeded and ClientGone.
  Turn take(size_t bytes, const Patience& patience);

 private:
  static constexpr size_t kForAll = 0, kForSmall = 1;  // lanes

  struct Waiter {
    int64_t bytes = 0;
    std::condition_variable called = {};
    std::optional<size_t> lane = {};  // of its turn
  };

  void end(size_t lane);

  std::mutex mutex_;             // guards the members below
  std::array<int64_t, 2> left_;  // of each lane; 0 if anybody waits for it
  FairOrder<Waiter*> waiting_{0};
};

}  // namespace dietmt::service
