// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include "kernels/token_scores.h"

#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

constexpr int kVectors = 4;  // looked at together
constexpr int64_t kBlock = kVectors * kLanes;

}  // namespace

int64_t next_above(const float* row, int64_t first, int64_t count, float limit) {
  int64_t v = first;
  for (; v + kBlock <= count; v += kBlock) {
    IntVector above{};
#pragma GCC unroll 4
    for (int s = 0; s < kVectors; ++s) above |= load(row + v + s * kLanes) > limit;
    if (sum_of(__builtin_convertvector(above, Vector)) != 0.0f) break;
  }
  while (v < count && !(row[v] > limit)) ++v;
  return v;
}

void add_probabilities(const float* row, int64_t count, float normalizer, float* sums) {
  int64_t v = 0;
  for (; v + kLanes <= count; v += kLanes)
    store(sums + v, load(sums + v) + exponential(load(row + v) - normalizer));
  if (v == count) return;
  const Vector last = exponential(load_first(row + v, count - v) - normalizer);
  for (int64_t lane = 0; v + lane < count; ++lane) sums[v + lane] += last[lane];
}

}  // namespace dietmt::kernels::DIETMT_ISA
