// Refuses batches that cannot fit into memory, before they take it.
#pragma once

#include <cstdint>
#include <string>

namespace dietmt::training {

/// A batch keeps at least so many numbers from its forward for its backward pass: an estimate from
/// below, which counts what the layers keep and nothing that they need for a moment.
class BatchMemory {
 public:
  /// Throws MemoryError, which names `option`, if the batch does not fit. Asks the system only for
  /// a batch that is larger than all before.
  void require(const std::string& option, int64_t tokens, double kept_numbers, bool bf16);

 private:
  double largest_ = 0.0;
};

}  // namespace dietmt::training
