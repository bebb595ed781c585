// Waits for something that another thread or process is about to do.
#pragma once

#include <chrono>
#include <thread>

namespace dietmt {

/// Whether the condition holds within a minute.
template <typename Condition>
bool soon(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace dietmt
