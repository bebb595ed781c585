#include "service/scheduling/turns.h"

namespace dietmt::service {

Turns::Turn Turns::take(size_t bytes, const Patience& patience) {
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
  try {
    patience.await(lock, own.called, [&] { return own.lane.has_value(); });
  } catch (...) {
    waiting_.remove(&own);
    throw;
  }
  return Turn(*this, *own.lane);
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
