// Products of a block of rows and a panel of packed weights with the matrix instructions of Armv8.6
// (USMMLA, BFMMLA): two rows times two outputs of eight bytes each. A group of an output and the
// next one, which the panel holds apart, are these eight bytes. For the source of that instruction
// set.
#pragma once

#include "kernels/cpu/linear/linear_products.h"

namespace dietmt::kernels::DIETMT_ISA {

/// sums [2, 2] += rows [2, 8 bytes] x outputs [2, 8 bytes]^T.
template <WeightType kType>
inline IntVector multiply_matrices(IntVector sums, IntVector rows, IntVector outputs) {
  if constexpr (kType == WeightType::kInt8) {
    return vusmmlaq_s32(sums, reinterpret_cast<uint8x16_t>(rows),
                        reinterpret_cast<int8x16_t>(outputs));
  } else {  // in the order of two BFDOT, and with their bits
    return reinterpret_cast<IntVector>(vbfmmlaq_f32(reinterpret_cast<Vector>(sums),
                                                    reinterpret_cast<bfloat16x8_t>(rows),
                                                    reinterpret_cast<bfloat16x8_t>(outputs)));
  }
}

/// For two rows and more.
template <WeightType kProductType>
class MatrixProduct {
 public:
  static constexpr WeightType kType = kProductType;
  static constexpr int kRows =
      8;  // of a block: with kBlockVectors of outputs they fill the registers
  static constexpr bool kPrefetchesOutput = true;

  MatrixProduct(int64_t /*rows*/, int64_t groups) : groups_(groups) {}

  /// As VectorProduct::multiply(). An odd last row is computed twice.
  void multiply(int64_t rows, GroupRows inputs, const char* panel, const int32_t* start,
                SumRow* to) const {
    switch ((rows + 1) / 2) {
      case 1:
        return multiply_pairs<1>(rows, inputs, panel, start, to);
      case 2:
        return multiply_pairs<2>(rows, inputs, panel, start, to);
      case 3:
        return multiply_pairs<3>(rows, inputs, panel, start, to);
      case 4:
        return multiply_pairs<4>(rows, inputs, panel, start, to);
      default:
        break;
    }
  }

 private:
  static constexpr int kBlockVectors = 2;
  static constexpr int64_t kBlockOutputs = kBlockVectors * kLanes;

  /// The first two and the last two outputs of each vector.
  template <int kPairs>
  using Sums = IntVector[kPairs][kBlockVectors][2];

  template <int kPairs>
  void multiply_pairs(int64_t rows, GroupRows inputs, const char* panel, const int32_t* start,
                      SumRow* to) const {
    const char* row[2 * kPairs];
    for (int r = 0; r < 2 * kPairs; ++r) row[r] = inputs.from(r < rows ? r : rows - 1).data;
    for (int64_t c = 0; c < kPanelOutputs; c += kBlockOutputs) {
      Sums<kPairs> sums;
      for (int v = 0; v < kBlockVectors; ++v) {
        const IntVector first = load_ints(start + c + v * kLanes);
        for (int p = 0; p < kPairs; ++p) {
          sums[p][v][0] = __builtin_shufflevector(first, first, 0, 1, 0, 1);
          sums[p][v][1] = __builtin_shufflevector(first, first, 2, 3, 2, 3);
        }
      }
      const char* weights = panel + c * kGroupBytes;
      int64_t g = 0;
      for (; g + 2 <= groups_; g += 2, weights += 2 * kPanelStep)
        add<kPairs, 2>(row, g * kGroupBytes, weights, sums);
      if (g < groups_) add<kPairs, 1>(row, g * kGroupBytes, weights, sums);
      store_sums<kPairs>(sums, to, c);
    }
  }

  /// The products of one or two groups.
  template <int kPairs, int kGroups>
  static void add(const char* const (&row)[2 * kPairs], int64_t offset, const char* weights,
                  IntVector (&sums)[kPairs][kBlockVectors][2]) {
    IntVector outputs[kBlockVectors][2];
#pragma GCC unroll 2
    for (int v = 0; v < kBlockVectors; ++v) {
      const char* from = weights + v * kLanes * kGroupBytes;
      const IntVector first = load_ints(from);
      const IntVector second = kGroups == 2 ? load_ints(from + kPanelStep) : IntVector{};
      outputs[v][0] = __builtin_shufflevector(first, second, 0, 4, 1, 5);
      outputs[v][1] = __builtin_shufflevector(first, second, 2, 6, 3, 7);
    }
#pragma GCC unroll 4
    for (int p = 0; p < kPairs; ++p) {
      const IntVector rows = pair_of<kGroups>(row[2 * p] + offset, row[2 * p + 1] + offset);
#pragma GCC unroll 2
      for (int v = 0; v < kBlockVectors; ++v) {
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half)
          sums[p][v][half] = multiply_matrices<kType>(sums[p][v][half], rows, outputs[v][half]);
      }
    }
  }

  template <int kGroups>
  static IntVector pair_of(const char* first, const char* second) {
    int64_t halves[2] = {};
    std::memcpy(&halves[0], first, kGroups * kGroupBytes);
    std::memcpy(&halves[1], second, kGroups * kGroupBytes);
    return reinterpret_cast<IntVector>(int64x2_t{halves[0], halves[1]});
  }

  template <int kPairs>
  static void store_sums(const IntVector (&sums)[kPairs][kBlockVectors][2], SumRow* to, int64_t c) {
    for (int p = 0; p < kPairs; ++p) {
      for (int v = 0; v < kBlockVectors; ++v) {
        const IntVector first = sums[p][v][0], last = sums[p][v][1];
        store_ints(to[2 * p] + c + v * kLanes, __builtin_shufflevector(first, last, 0, 1, 4, 5));
        store_ints(to[2 * p + 1] + c + v * kLanes,
                   __builtin_shufflevector(first, last, 2, 3, 6, 7));
      }
    }
  }

  int64_t groups_;
};

}  // namespace dietmt::kernels::DIETMT_ISA
