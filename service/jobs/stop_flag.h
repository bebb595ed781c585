// A flag that wakes the threads waiting for it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace dietmt::service {

class StopFlag {
 public:
  bool is_set() const { return set_; }

  void set() {
    {
      const std::scoped_lock lock(mutex_);
      set_ = true;
    }
    changed_.notify_all();
  }

  /// Returns after `time`, or when the flag is set.
  void wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [&] { return set_.load(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> set_ = false;
};

}  // namespace dietmt::service
