// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include "kernels/token_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr int kSums = 4;  // that wait for nobody
constexpr int64_t kBlock = kSums * kLanes;

inline Vector tail(const float* row, int64_t at, int64_t count, float behind) {
  return first_lanes(load_first(row + at, count - at), count - at, behind);
}

}  // namespace

float log_normalizer(const float* row, int64_t count) {
  Vector largest[kSums];
  for (Vector& one : largest) one = broadcast(kMinusInfinity);
  int64_t v = 0;
  for (; v + kBlock <= count; v += kBlock)
#pragma GCC unroll 4
    for (int s = 0; s < kSums; ++s) largest[s] = larger(load(row + v + s * kLanes), largest[s]);
  for (; v + kLanes <= count; v += kLanes) largest[0] = larger(load(row + v), largest[0]);
  if (v < count) largest[1] = larger(tail(row, v, count, kMinusInfinity), largest[1]);
  const float maximum =
      largest_of(larger(larger(largest[0], largest[1]), larger(largest[2], largest[3])));

  Vector sums[kSums] = {};
  for (v = 0; v + kBlock <= count; v += kBlock)
#pragma GCC unroll 4
    for (int s = 0; s < kSums; ++s) sums[s] += exponential(load(row + v + s * kLanes) - maximum);
  for (; v + kLanes <= count; v += kLanes) sums[0] += exponential(load(row + v) - maximum);
  if (v < count)
    sums[1] += first_lanes(exponential(tail(row, v, count, maximum) - maximum), count - v, 0.0f);
  return maximum + std::log(sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])));
}

int64_t next_above(const float* row, int64_t first, int64_t count, float limit) {
  int64_t v = first;
  for (; v + kBlock <= count; v += kBlock) {
    IntVector above{};
#pragma GCC unroll 4
    for (int s = 0; s < kSums; ++s) above |= load(row + v + s * kLanes) > limit;
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
  const Vector last = exponential(tail(row, v, count, normalizer) - normalizer);
  for (int64_t lane = 0; v + lane < count; ++lane) sums[v + lane] += last[lane];
}

}  // namespace dietmt::kernels::DIETMT_ISA
