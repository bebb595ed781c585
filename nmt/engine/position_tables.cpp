#include "nmt/engine/position_tables.h"

#include <algorithm>

namespace dietmt::nmt {

void VectorMoves::apply(int64_t heads, int64_t head_width, int64_t position, float* x) const {
  const int64_t pairs = head_width / 2;
  for (int64_t h = 0; h < heads; ++h, x += head_width) {
    if (shift.data != nullptr) {
      const float* row = shift.at(h, position);
      for (int64_t d = 0; d < head_width; ++d) x[d] += row[d];
    }
    if (cosines.data == nullptr) continue;
    const float* c = cosines.at(h, position);
    const float* s = sines.at(h, position);
    const bool halves = halved[static_cast<size_t>(h)];
    const int64_t step = halves ? 1 : 2;
    const int64_t distance = halves ? pairs : 1;
    for (int64_t m = 0; m < pairs; ++m) {
      const float a = x[m * step];
      const float b = x[m * step + distance];
      x[m * step] = a * c[m] - b * s[m];
      x[m * step + distance] = b * c[m] + a * s[m];
    }
  }
}

bool VectorMoves::are_shared() const {
  return shift.head_stride == 0 && cosines.head_stride == 0 &&
         std::ranges::adjacent_find(halved, std::not_equal_to<>()) == halved.end();
}

PositionTables::PositionTables(Lower lower, int64_t max_length)
    : lower_(std::move(lower)), max_length_(max_length) {}

const SitePositions& PositionTables::of(int64_t length) const {
  size_t index = 0;
  while ((kShortest << index) < length) ++index;
  if (const SitePositions* found = classes_[index].load(std::memory_order_acquire)) return *found;
  const std::lock_guard lock(mutex_);
  if (owned_[index] == nullptr) {
    owned_[index] = lower_(std::min(kShortest << index, max_length_));
    classes_[index].store(owned_[index].get(), std::memory_order_release);
  }
  return *owned_[index];
}

}  // namespace dietmt::nmt
