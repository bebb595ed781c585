// Host memory for attention cases (tests/kernels/attention_case.h).
#pragma once

#include <cstring>

#include "tests/kernels/attention_case.h"
#include "tests/kernels/cpu/kernel_test.h"

namespace dietmt::kernels {

class CaseMemory {
 public:
  Arena& arena() { return arena_; }

 private:
  void* take(size_t bytes) {
    blocks_.push_back(allocate(bytes));
    std::memset(blocks_.back().get(), 0, bytes);
    return blocks_.back().get();
  }

  std::vector<Bytes> blocks_;
  Arena arena_{[this](size_t bytes) { return take(bytes); }};
};

}  // namespace dietmt::kernels
