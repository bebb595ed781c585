// The backward pass of add_norm over all rows. For sources that are compiled once for each
// instruction set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "kernels/rowwise.h"

namespace dietmt::kernels::DIETMT_ISA {

/// Calls run(r, gamma_sum, beta_sum), which adds to both sums, for every row r. The sums are over
/// fixed blocks of rows, then over the blocks in order: the same result for any number of threads.
template <typename Number, typename Run>
void add_norm_gradients(const AddNormBackward<Number>& call, Run run) {
  constexpr int64_t kRowsPerBlock = 256;
  const int64_t width = call.width;
  const int64_t blocks = (call.rows + kRowsPerBlock - 1) / kRowsPerBlock;
  // No std::vector: its out-of-line members, compiled here for one instruction set, could be linked
  // into code that runs on every machine.
  const std::unique_ptr<float[]> partial(new float[static_cast<size_t>(2 * blocks * width)]());
#pragma omp parallel for schedule(static)
  for (int64_t block = 0; block < blocks; ++block) {
    float* const gamma_sum = partial.get() + 2 * block * width;
    const int64_t end = std::min(call.rows, (block + 1) * kRowsPerBlock);
    for (int64_t r = block * kRowsPerBlock; r < end; ++r) run(r, gamma_sum, gamma_sum + width);
  }
  const auto sum_blocks = [&](const float* first, float* sums) {
    std::fill(sums, sums + width, 0.0f);
    for (int64_t block = 0; block < blocks; ++block)
      for (int64_t c = 0; c < width; ++c) sums[c] += first[2 * block * width + c];
  };
  sum_blocks(partial.get(), call.grad_gamma);
  if (call.beta != nullptr) sum_blocks(partial.get() + width, call.grad_beta);
}

}  // namespace dietmt::kernels::DIETMT_ISA
