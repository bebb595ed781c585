// Rejects batches that cannot fit in memory before they allocate it.
#pragma once

#include <cstdint>
#include <string>

namespace dietmt::training {

/// Estimates the memory of a batch from below: counts what the layers keep for the backward pass,
/// without temporaries.
class BatchMemory {
 public:
  /// Throws MemoryError naming `option` if the batch does not fit. Asks the system only if the
  /// batch is the largest so far.
  void require(const std::string& option, int64_t tokens, double kept_elements, bool bf16);

 private:
  double largest_ = 0.0;
};

}  // namespace dietmt::training
