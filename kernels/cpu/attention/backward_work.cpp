#include "kernels/cpu/attention/backward_work.h"

#include <algorithm>

namespace dietmt::kernels {

int64_t parts_of_batch(const BackwardWork& work) {
  if (work.block == 0) return work.sentences;
  // Clearing and adding up a block costs little compared with the scores of a few sentences.
  constexpr int64_t kSentences = 4, kUnits = 64;
  constexpr int64_t kNumbers = 1 << 20;
  const int64_t wanted = std::max(kUnits / work.heads, (work.sentences - 1) / kSentences + 1);
  const int64_t numbers = std::max(kNumbers, 2 * work.queries * work.heads * work.head_width);
  const int64_t affordable = numbers / (work.heads * work.block);
  return std::clamp<int64_t>(std::min(wanted, affordable), 1, std::max<int64_t>(work.sentences, 1));
}

}  // namespace dietmt::kernels
