#include "kernels/dropout.h"

namespace dietmt::kernels {

void dropout_mask(uint64_t key, double p, int64_t size, float* mask) {
  const uint32_t threshold = dropout_threshold(p);
  const float scale = static_cast<float>(1.0 / (1.0 - p));
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < size; ++i)
    mask[i] = dropout_keeps(key, static_cast<uint32_t>(i), threshold) ? scale : 0.0f;
}

}  // namespace dietmt::kernels
