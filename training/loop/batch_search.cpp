#include "training/loop/batch_search.h"

#include <algorithm>

namespace dietmt::training {

void MemoryLine::add(int64_t tokens, int64_t bytes) {
  if (tokens > last_.tokens) before_ = last_;
  last_ = {tokens, bytes};
}

int64_t MemoryLine::predict(int64_t tokens) const {
  if (before_.tokens == 0) return last_.bytes;
  const auto slope = static_cast<double>(last_.bytes - before_.bytes) /
                     static_cast<double>(last_.tokens - before_.tokens);
  return last_.bytes + static_cast<int64_t>(slope * static_cast<double>(tokens - last_.tokens));
}

int64_t largest_fitting(int64_t smallest, int64_t largest,
                        const std::function<bool(int64_t)>& fits) {
  if (!fits(smallest)) return 0;
  int64_t good = smallest;
  int64_t bad = 0;  // none yet
  while (bad == 0 && good < largest) {
    const int64_t next = std::min(2 * good, largest);
    (fits(next) ? good : bad) = next;
  }
  for (int halving = 0; bad != 0 && halving < 3; ++halving) {
    const int64_t middle = (good + bad) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace dietmt::training
