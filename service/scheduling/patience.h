// Who is waiting for a translation, and for how long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

namespace dietmt::service {

struct Patience {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::function<bool()> client_gone = nullptr;  // polled while waiting; may be empty
  std::string client = {};                      // API key or address; gets a fair share of turns
  bool is_batch = false;                        // yields to online requests

  /// Throws DeadlineExceeded after the deadline, and ClientGone.
  void check() const;

  /// Waits until `is_done`, which is called with the lock held, as is every notification's change.
  /// Throws what check() throws, also with the lock held.
  void await(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
             const std::function<bool()>& is_done) const;
};

}  // namespace dietmt::service
