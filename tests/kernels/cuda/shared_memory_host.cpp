#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/kernels/cuda/runner.h"

namespace dietmt::kernels {

std::string reason_not_to_run() { return {}; }

void* allocate_shared(size_t bytes) {
  static std::vector<std::unique_ptr<void, decltype(&std::free)>> memory;
  const size_t size = (bytes / 256 + 1) * 256;
  memory.emplace_back(std::aligned_alloc(256, size), &std::free);
  std::memset(memory.back().get(), 0, size);
  return memory.back().get();
}

}  // namespace dietmt::kernels
