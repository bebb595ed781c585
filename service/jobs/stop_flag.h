// A flag that wakes the threads waiting for it, which can also be called to other work.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
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

  void call() {
    {
      const std::scoped_lock lock(mutex_);
      ++calls_;
    }
    changed_.notify_all();
  }
  int64_t calls() const { return calls_; }

  /// Returns after `time`, or when the flag is set.
  void wait(std::chrono::milliseconds time) { wait(time, INT64_MAX); }

  /// Also when there are more calls than `calls`.
  void wait(std::chrono::milliseconds time, int64_t calls) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [&] { return set_ || calls_ > calls; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> set_ = false;
  std::atomic<int64_t> calls_ = 0;
};

}  // namespace dietmt::service
