#include "service/api/preparation_turn.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {
namespace {

// Not a std::counting_semaphore: that of libstdc++ 12 wakes all waiting threads when one turn ends.
struct Turns {
  std::mutex mutex;
  std::condition_variable ended;
  int64_t left = std::max(1U, std::thread::hardware_concurrency());
};

Turns& turns() {
  static Turns all;
  return all;
}

}  // namespace

PreparationTurn::PreparationTurn(size_t bytes, const Patience& patience)
    : is_long_(bytes > kLongBytes) {
  constexpr std::chrono::milliseconds kGlance{500};  // between looks at the client
  if (!is_long_) return;
  Turns& all = turns();
  std::unique_lock lock(all.mutex);
  const auto is_free = [&] { return all.left > 0; };
  while (!is_free()) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= patience.deadline)
      throw DeadlineExceeded("the translation was not finished by the deadline");
    if (all.ended.wait_until(lock, std::min(patience.deadline, now + kGlance), is_free)) break;
    if (!patience.client_gone) continue;
    lock.unlock();
    const bool gone = patience.client_gone();
    lock.lock();
    if (gone && !is_free()) throw ClientGone("the client closed its connection");
  }
  --all.left;
}

PreparationTurn::~PreparationTurn() {
  if (!is_long_) return;
  Turns& all = turns();
  {
    const std::lock_guard lock(all.mutex);
    ++all.left;
  }
  all.ended.notify_one();
}

}  // namespace dietmt::service
