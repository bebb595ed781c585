// Where the cases of the kernels of sm_90a run: on the host (attention_host_test.cpp) or on a GPU
// (runner_gpu.cpp). Each test program links one of them.
#pragma once

#include <cmath>
#include <vector>

#include "tests/kernels/cuda/runner.h"

namespace dietmt::kernels {

/// Forward, then backward; returns when the results are there.
void run_warpgroup_attention(const AttentionBackward& call);

inline double largest_error(const std::vector<double>& values, const std::vector<double>& exact) {
  double largest = 0.0;
  for (size_t i = 0; i < exact.size(); ++i) {
    const double error = values[i] == exact[i] ? 0.0 : std::fabs(values[i] - exact[i]);
    largest = error <= largest ? largest : error;  // keeps NaN
  }
  return largest;
}

}  // namespace dietmt::kernels
