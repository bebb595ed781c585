// What the tests of the CPU kernels share: levels, memory on cache lines, random numbers.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "common/random.h"
#include "kernels/cpu/instruction_sets.h"

namespace dietmt::kernels {

/// The tables of a room as parameters of tests, also those of sets that do not run here.
template <typename Kernels>
std::vector<const Kernels*> pointers_to(std::span<const Kernels> levels) {
  std::vector<const Kernels*> pointers;
  for (const Kernels& level : levels) pointers.push_back(&level);
  return pointers;
}

inline size_t unsigned_of(int64_t size) { return static_cast<size_t>(size); }

/// Between -bound and bound.
inline std::vector<float> random_numbers(int64_t size, uint64_t seed, double bound) {
  Random random(seed);
  std::vector<float> numbers(unsigned_of(size));
  for (float& number : numbers) number = static_cast<float>(2.0 * bound * random.uniform() - bound);
  return numbers;
}

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};
using Bytes = std::unique_ptr<void, Freed>;
inline Bytes allocate(size_t size) { return Bytes(std::aligned_alloc(64, (size + 64) / 64 * 64)); }

}  // namespace dietmt::kernels
