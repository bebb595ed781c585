#include "common/interruption.h"

#include <chrono>
#include <utility>

namespace dietmt {
namespace {

using Clock = std::chrono::steady_clock;

thread_local Interruption* innermost = nullptr;
thread_local Clock::time_point next_check;

}  // namespace

Interruption::Interruption(std::function<void()> check)
    : check_(std::move(check)), outer_(std::exchange(innermost, this)) {
  next_check = {};
}

Interruption::~Interruption() { innermost = outer_; }

void check_interruption() {
  constexpr std::chrono::milliseconds kPause{5};
  constexpr unsigned kCallsPerLook = 16;  // at the clock
  thread_local unsigned calls = 0;
  if (innermost == nullptr || ++calls % kCallsPerLook != 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_check) return;
  innermost->check_();
  next_check = now + kPause;
}

bool is_interrupted() noexcept {
  try {
    check_interruption();
    return false;
  } catch (...) {
    return true;
  }
}

}  // namespace dietmt
