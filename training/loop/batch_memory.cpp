#include "training/loop/batch_memory.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/memory_use.h"

namespace dietmt::training {

void BatchMemory::require(const std::string& option, int64_t tokens, double kept_elements,
                          bool bf16) {
  const double bytes = kept_elements * (bf16 ? 2.0 : 4.0);
  if (bytes <= largest_) return;
  largest_ = bytes;
  const std::string problem =
      memory_problem(fmt::format("{}, with {} tokens in a batch", option, tokens), bytes);
  if (!problem.empty()) throw MemoryError(problem);
}

}  // namespace dietmt::training
