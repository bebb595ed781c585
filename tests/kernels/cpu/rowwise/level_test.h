// A test of the row-wise kernels for each instruction set.
#pragma once

#include <gtest/gtest.h>

#include "kernels/cpu/rowwise/levels.h"
#include "tests/kernels/cpu/kernel_test.h"

namespace dietmt::kernels {

class RowwiseTest : public testing::TestWithParam<const RowwiseKernels*> {
 protected:
  void SetUp() override {
    if (!level().set->runs_here) GTEST_SKIP() << "this machine has no " << level().set->name;
  }
  static const RowwiseKernels& level() { return *GetParam(); }
};

inline std::string level_name(const testing::TestParamInfo<const RowwiseKernels*>& test) {
  return test.param->set->name;
}

inline std::vector<float> random_values(size_t size, uint64_t seed, float scale = 1.0f) {
  return random_numbers(static_cast<int64_t>(size), seed, scale);
}

}  // namespace dietmt::kernels
