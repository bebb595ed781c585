#include "nmt/engine/slot_pool.h"

#include <algorithm>

namespace dietmt::nmt {

int32_t SlotPool::take() {
  if (free_.empty()) {
    constexpr size_t kFirst = 1024;
    const size_t old = names_.size();
    names_.resize(std::max(kFirst, 2 * old));
    free_.reserve(names_.size());
    for (size_t slot = names_.size(); slot > old; --slot)
      free_.push_back(static_cast<int32_t>(slot - 1));
  }
  const int32_t slot = free_.back();
  free_.pop_back();
  names_[static_cast<size_t>(slot)] = 1;
  return slot;
}

void SlotPool::forget(std::span<const int32_t> slots) {
  for (const int32_t slot : slots)
    if (--names_[static_cast<size_t>(slot)] == 0) free_.push_back(slot);
}

}  // namespace dietmt::nmt
