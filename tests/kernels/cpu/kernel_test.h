// Shared by the tests of CPU kernels: instruction sets, cache-aligned memory, random numbers.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "common/random.h"
#include "kernels/bfloat16.h"
#include "kernels/cpu/instruction_sets.h"

namespace dietmt::kernels {

/// Whether this processor has the table's instruction set.
template <typename Kernels>
bool runs_here(const Kernels& table) {
  return find_instruction_set(table.instruction_set)->runs_here;
}

/// A test per table, skipped for sets that this processor lacks.
template <typename Kernels>
class LevelTest : public testing::TestWithParam<const Kernels*> {
 protected:
  void SetUp() override {
    if (!runs_here(level())) GTEST_SKIP() << "this machine has no " << level().instruction_set;
  }
  static const Kernels& level() { return *LevelTest::GetParam(); }
};

template <typename Kernels>
std::string level_name(const testing::TestParamInfo<const Kernels*>& test) {
  return test.param->instruction_set;
}

inline size_t unsigned_of(int64_t size) { return static_cast<size_t>(size); }

/// Between -bound and bound.
inline std::vector<float> random_numbers(int64_t size, uint64_t seed, double bound) {
  Random random(seed);
  std::vector<float> numbers(unsigned_of(size));
  for (float& number : numbers) number = static_cast<float>(2.0 * bound * random.uniform() - bound);
  return numbers;
}

inline float value_of(BFloat16 number) { return std::bit_cast<float>(uint32_t{number.bits} << 16); }

/// Truncated, so that no rounding is assumed.
inline BFloat16 cut(float value) {
  return {static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16)};
}

/// Between -1 and 1.
inline std::vector<BFloat16> random_narrow(int64_t size, uint64_t seed) {
  std::vector<BFloat16> numbers;
  for (const float value : random_numbers(size, seed, 1.0)) numbers.push_back(cut(value));
  return numbers;
}

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};
using Bytes = std::unique_ptr<void, Freed>;
inline Bytes allocate(size_t size) { return Bytes(std::aligned_alloc(64, (size + 64) / 64 * 64)); }

}  // namespace dietmt::kernels
