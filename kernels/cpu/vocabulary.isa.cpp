// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include "kernels/vocabulary.h"

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr int kBlockVectors = 8;  // read while they are looked through for candidates
constexpr int64_t kBlock = kBlockVectors * kLanes;

/// Bit i says whether x > y in lane i.
uint32_t greater_lanes(Vector x, Vector y) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(x, y, _CMP_GT_OQ);
#elif defined(__AVX2__)
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_GT_OQ)));
#else
  return static_cast<uint32_t>(_mm_movemask_ps(_mm_cmpgt_ps(x, y)));
#endif
}

/// The largest logits so far, sorted.
class Best {
 public:
  Best(const TokenSelection& call, int64_t row)
      : call_(call),
        indices_(call.indices + row * call.count),
        values_(call.values + row * call.count) {
    std::fill_n(indices_, call.count, -1);
    std::fill_n(values_, call.count, kMinusInfinity);
    if (call.count == 0) threshold_ = -kMinusInfinity;
  }

  /// A block from `first` on. Indices come in ascending order, so that among equals the earlier
  /// stay in front.
  void offer(const Vector (&x)[kBlockVectors], Vector largest, int64_t first) {
    if (!greater_lanes(largest, broadcast(threshold_))) return;
    for (int v = 0; v < kBlockVectors; ++v) {
      uint32_t lanes = greater_lanes(x[v], broadcast(threshold_));
      for (; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const auto index = static_cast<int32_t>(first + v * kLanes + lane);
        const float value = x[v][lane];
        if (value > threshold_ && !is_forbidden(index)) insert(index, value);
      }
    }
  }

 private:
  bool is_forbidden(int32_t index) const {
    const int32_t* end = call_.forbidden + call_.forbidden_count;
    return std::find(call_.forbidden, end, index) != end;
  }

  void insert(int32_t index, float value) {
    int64_t place = call_.count - 1;
    for (; place > 0 && values_[place - 1] < value; --place) {
      values_[place] = values_[place - 1];
      indices_[place] = indices_[place - 1];
    }
    values_[place] = value;
    indices_[place] = index;
    threshold_ = values_[call_.count - 1];
  }

  const TokenSelection& call_;
  int32_t* indices_;
  float* values_;
  float threshold_ = kMinusInfinity;  // what is not above it is none of them
};

/// log sum exp, with a shift that follows the largest number met.
class LogSum {
 public:
  void add(const Vector (&x)[kBlockVectors], Vector largest) {
    if (greater_lanes(largest, broadcast(shift_))) raise(largest_of(largest));
    for (int v = 0; v < kBlockVectors; ++v) sums_[v % 4] += exponential(x[v] - shift_);
  }

  float result() const {
    return shift_ + std::log(sum_of((sums_[0] + sums_[1]) + (sums_[2] + sums_[3])));
  }

 private:
  void raise(float shift) {
    const Vector factor = exponential(broadcast(shift_ - shift));
    for (Vector& sum : sums_) sum *= factor;
    shift_ = shift;
  }

  float shift_ = std::numeric_limits<float>::lowest();
  Vector sums_[4] = {};
};

/// The last logits, minus infinity behind them.
void read_last(const float* logits, int64_t count, Vector (&x)[kBlockVectors]) {
  for (Vector& lanes : x) {
    const int64_t here = std::clamp<int64_t>(count, 0, kLanes);
    lanes =
        here == kLanes ? load(logits) : first_lanes(load_first(logits, here), here, kMinusInfinity);
    logits += here;
    count -= here;
  }
}

template <bool kNormalize>
void select_row(const TokenSelection& call, int64_t row) {
  const float* logits = call.logits + row * call.stride;
  Best best(call, row);
  LogSum sum;
  Vector x[kBlockVectors];
  const auto take = [&](int64_t first) {
    Vector largest = x[0];
    for (int v = 1; v < kBlockVectors; ++v) largest = larger(largest, x[v]);
    if constexpr (kNormalize) sum.add(x, largest);
    best.offer(x, largest, first);
  };
  int64_t i = 0;
  for (; i + kBlock <= call.size; i += kBlock) {
    for (int v = 0; v < kBlockVectors; ++v) x[v] = load(logits + i + v * kLanes);
    take(i);
  }
  if (i < call.size) {
    read_last(logits + i, call.size - i, x);
    take(i);
  }
  if constexpr (kNormalize) call.log_normalizers[row] = sum.result();
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
