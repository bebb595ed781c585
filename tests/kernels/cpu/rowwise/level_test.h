// A test of the row-wise kernels for each instruction set.
#pragma once

#include <gtest/gtest.h>

#include "kernels/rowwise.h"
#include "tests/kernels/cpu/kernel_test.h"

namespace dietmt::kernels {

using RowwiseTest = LevelTest<RowwiseKernels>;

inline std::vector<float> random_values(size_t size, uint64_t seed, float scale = 1.0f) {
  return random_numbers(static_cast<int64_t>(size), seed, scale);
}

constexpr uint64_t kPassKey = 0x123456789abcdefULL;
constexpr uint64_t kKey = random_key(kPassKey, 3);

/// Drops by kKey.
inline DropoutCall dropout_of(double p) { return {p, {&kPassKey, 3}}; }

}  // namespace dietmt::kernels
