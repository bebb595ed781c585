#include "service/scheduling/patience.h"

#include <algorithm>

#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void throw_late() {
  throw DeadlineExceeded("the translation was not finished by the deadline");
}

[[noreturn]] void throw_gone() { throw ClientGone("the client closed its connection"); }

// Looking at the client takes a system call.
bool is_gone(const Patience& patience, std::unique_lock<std::mutex>& lock) {
  struct Unlocked {
    explicit Unlocked(std::unique_lock<std::mutex>& held) : lock(held) { lock.unlock(); }
    ~Unlocked() { lock.lock(); }
    std::unique_lock<std::mutex>& lock;
  };
  const Unlocked unlocked(lock);
  return patience.client_gone();
}

}  // namespace

void Patience::check() const {
  if (Clock::now() >= deadline) throw_late();
  if (client_gone && client_gone()) throw_gone();
}

void Patience::await(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                     const std::function<bool()>& is_done) const {
  constexpr std::chrono::milliseconds kGlance{500};  // between looks at the client
  while (!is_done()) {
    const Clock::time_point now = Clock::now();
    if (now >= deadline) throw_late();
    if (client_gone) {
      const bool gone = is_gone(*this, lock);
      if (is_done()) return;
      if (gone) throw_gone();
    }
    changed.wait_until(lock, std::min(deadline, now + kGlance), is_done);
  }
}

}  // namespace dietmt::service
