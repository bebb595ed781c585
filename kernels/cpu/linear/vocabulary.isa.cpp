// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <arm_neon.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/cpu/vector.h"
#include "kernels/packed_linear.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr int kBlockVectors = 8;
constexpr int64_t kBlock = kBlockVectors * kLanes;

/// Bit i says whether x > y in lane i.
uint32_t greater_lanes(Vector x, Vector y) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(x, y, _CMP_GT_OQ);
#elif defined(__AVX2__)
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_GT_OQ)));
#elif defined(__aarch64__)
  constexpr UintVector kBits = {1, 2, 4, 8};
  return vaddvq_u32(vcgtq_f32(x, y) & kBits);
#else
  return static_cast<uint32_t>(_mm_movemask_ps(_mm_cmpgt_ps(x, y)));
#endif
}

/// The largest logits above a threshold, sorted.
class Best {
 public:
  Best(const TokenSelection& call, int64_t row, float threshold)
      : call_(call),
        indices_(call.indices + row * call.count),
        values_(call.values + row * call.count),
        threshold_(threshold) {
    std::fill_n(indices_, call.count, -1);
    std::fill_n(values_, call.count, kMinusInfinity);
  }

  bool wants(Vector x) const { return greater_lanes(x, broadcast(threshold_)) != 0; }

  /// Indices come in ascending order, so that the earlier of equal logits stay in front.
  void offer(Vector x, int64_t first) {
    uint32_t lanes = greater_lanes(x, broadcast(threshold_));
    for (; lanes != 0; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      const auto index = static_cast<int32_t>(first + lane);
      if (x[lane] > threshold_ && !is_forbidden(index)) insert(index, x[lane]);
    }
  }

 private:
  bool is_forbidden(int32_t index) const {
    const int32_t* end = call_.forbidden + call_.forbidden_count;
    return std::find(call_.forbidden, end, index) != end;
  }

  void insert(int32_t index, float value) {
    // A wide beam may ask for many times as many logits as there are.
    int64_t place = found_ < call_.count ? found_++ : call_.count - 1;
    for (; place > 0 && values_[place - 1] < value; --place) {
      values_[place] = values_[place - 1];
      indices_[place] = indices_[place - 1];
    }
    values_[place] = value;
    indices_[place] = index;
    threshold_ = std::max(threshold_, values_[call_.count - 1]);
  }

  const TokenSelection& call_;
  int32_t* indices_;
  float* values_;
  int64_t found_ = 0;
  float threshold_;  // lower logits are not among the best
};

/// The last logits, fewer than a block, padded with minus infinity.
void read_last(const float* logits, int64_t count, Vector (&x)[kBlockVectors]) {
  for (Vector& lanes : x) {
    const int64_t here = std::clamp<int64_t>(count, 0, kLanes);
    lanes =
        here == kLanes ? load(logits) : first_lanes(load_first(logits, here), here, kMinusInfinity);
    logits += here;
    count -= here;
  }
}

/// visit(index of the first, vectors) block by block.
template <typename Visit>
void for_blocks(const float* logits, int64_t size, Visit visit) {
  Vector x[kBlockVectors];
  int64_t i = 0;
  for (; i + kBlock <= size; i += kBlock) {
    for (int v = 0; v < kBlockVectors; ++v) x[v] = load(logits + i + v * kLanes);
    visit(i, x);
  }
  if (i == size) return;
  read_last(logits + i, size - i, x);
  visit(i, x);
}

/// The largest logits of kStripes * kLanes parts of a row.
struct StripeMaxima {
  static constexpr int kStripes = 4;
  Vector maxima[kStripes];

  StripeMaxima(const float* logits, int64_t size) {
    for (Vector& stripe : maxima) stripe = broadcast(kMinusInfinity);
    for_blocks(logits, size, [&](int64_t, const Vector(&x)[kBlockVectors]) {
      for (int v = 0; v < kBlockVectors; ++v)
        maxima[v % kStripes] = larger(x[v], maxima[v % kStripes]);
    });
  }

  float largest() const {
    return largest_of(larger(larger(maxima[0], maxima[1]), larger(maxima[2], maxima[3])));
  }

  /// At least `count` logits, the largest ones of their parts, are as large.
  float bound(int64_t count) const {
    StripeMaxima left = *this;
    float bound = largest();
    for (int64_t taken = 1; taken < count && bound > kMinusInfinity; ++taken) {
      for (Vector& stripe : left.maxima)
        stripe = stripe < bound ? stripe : broadcast(kMinusInfinity);
      bound = left.largest();
    }
    return bound;
  }
};

template <bool kNormalize>
void select_row(const TokenSelection& call, int64_t row) {
  const float* logits = call.logits + row * call.stride;
  const StripeMaxima maxima(logits, call.size);
  const float largest = maxima.largest();
  const float bound = maxima.bound(call.count + call.forbidden_count);
  // Prefetches the next row while exponentials keep the units busy.
  const float* next = row + 1 < call.rows ? logits + call.stride : logits;
  Best best(call, row, std::nextafter(bound, kMinusInfinity));
  Vector sums[4] = {};
  for_blocks(logits, call.size, [&](int64_t first, const Vector(&x)[kBlockVectors]) {
    Vector block = x[0];
    for (int v = 1; v < kBlockVectors; ++v) block = larger(x[v], block);
    if (call.count > 0 && best.wants(block)) {
      for (int v = 0; v < kBlockVectors; ++v) best.offer(x[v], first + v * kLanes);
    }
    if constexpr (kNormalize) {
      for (int64_t c = 0; c < kBlock; c += 16) __builtin_prefetch(next + first + c);
      for (int v = 0; v < kBlockVectors; ++v) sums[v % 4] += exponential(x[v] - largest);
    }
  });
  if constexpr (kNormalize)
    call.log_normalizers[row] =
        largest + std::log(sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])));
}

}  // namespace

void select_tokens(const TokenSelection& call) {
  for (int64_t row = 0; row < call.rows; ++row) {
    if (call.log_normalizers) {
      select_row<true>(call, row);
    } else {
      select_row<false>(call, row);
    }
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
