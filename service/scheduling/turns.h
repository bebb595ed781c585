// Turns at work that only a few requests may do at a time. Those that wait are called in fair
// order: small ones first, batch jobs last, and no client waits for all requests of another.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "service/scheduling/fair_order.h"
#include "service/scheduling/request_queue.h"

namespace dietmt::service {

class Turns {
 public:
  explicit Turns(int64_t at_once) : left_(at_once) {}

  /// Lasts until it is destroyed.
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(&turns) {}
    Turn(Turn&& other) noexcept : turns_(std::exchange(other.turns_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (turns_ != nullptr) turns_->end();
    }

   private:
    Turns* turns_;
  };

  /// Waits for a turn at so many bytes. Throws DeadlineExceeded and ClientGone.
  Turn take(size_t bytes, const Patience& patience);

 private:
  struct Waiter {
    int64_t bytes = 0;
    std::condition_variable called = {};
    bool has_turn = false;
  };

  void end();

  std::mutex mutex_;  // guards the members below
  int64_t left_;      // 0 if anybody waits
  FairOrder<Waiter*> waiting_{0};
};

}  // namespace dietmt::service
