#include "service/scheduling/turns.h"

#include <algorithm>

#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {

Turns::Turn Turns::take(size_t bytes, const Patience& patience) {
  constexpr std::chrono::milliseconds kGlance{500};  // between looks at the client
  constexpr size_t kSmallBytes = 1 << 16;
  const Priority priority = patience.is_batch      ? Priority::kBatch
                            : bytes <= kSmallBytes ? Priority::kShort
                                                   : Priority::kLong;
  std::unique_lock lock(mutex_);
  for (const size_t lane : {kForSmall, kForAll}) {
    if (left_[lane] == 0 || (lane == kForSmall && priority != Priority::kShort)) continue;
    --left_[lane];
    return Turn(*this, lane);
  }
  Waiter own{.bytes = static_cast<int64_t>(bytes) + 1};
  waiting_.add(priority, patience.client, &own);
  while (true) {
    const auto now = std::chrono::steady_clock::now();
    const bool is_late = now >= patience.deadline;
    lock.unlock();
    const bool is_gone = patience.client_gone && patience.client_gone();
    lock.lock();
    if (own.lane) return Turn(*this, *own.lane);
    if (is_late || is_gone) waiting_.remove(&own);
    if (is_gone) throw ClientGone("the client closed its connection");
    if (is_late) throw DeadlineExceeded("the translation was not finished by the deadline");
    own.called.wait_until(lock, std::min(patience.deadline, now + kGlance),
                          [&] { return own.lane.has_value(); });
  }
}

void Turns::end(size_t lane) {
  const std::lock_guard lock(mutex_);
  if (lane == kForSmall ? !waiting_.has(Priority::kShort) : waiting_.empty()) {
    ++left_[lane];
    return;
  }
  Waiter& next = lane == kForSmall ? *waiting_.next(Priority::kShort) : *waiting_.next();
  waiting_.charge(next.bytes, true);
  next.lane = lane;
  next.called.notify_one();
}

}  // namespace dietmt::service
