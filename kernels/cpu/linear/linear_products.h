// Products of a block of rows and a panel of packed weights (kernels/packed_linear.h), with
// vectors. For sources compiled once for each instruction set.
#pragma once

#include <cstring>

#include "kernels/cpu/linear/linear_dots.h"

namespace dietmt::kernels::DIETMT_ISA {

/// Rows of 32-bit groups.
struct GroupRows {
  const char* data;
  int64_t stride;  // bytes

  GroupRows from(int64_t row) const { return {data + row * stride, stride}; }
};

/// Sums of products of a row and a panel: integers or the bits of floats.
using SumRow = int32_t[kPanelOutputs];

template <typename Dots>
class VectorProduct {
 public:
  static constexpr WeightType kType = Dots::kType;
  static constexpr int kRows = Dots::kRows;  // of a block, at most
  static constexpr bool kPrefetchesOutput = true;

  /// Blocks have up to `rows` rows; rows and panels have `groups` groups.
  VectorProduct(int64_t /*rows*/, int64_t groups) : groups_(groups) {}

  /// to[r][n] = start[n] + the products of row r and output n, r < rows.
  void multiply(int64_t rows, GroupRows inputs, const char* panel, const int32_t* start,
                SumRow* to) const {
    constexpr int64_t kBlockOutputs = kPanelVectors * kLanes;
    for (int64_t c = 0; c < kPanelOutputs; c += kBlockOutputs)
      multiply_rows(rows, inputs, panel + c * kGroupBytes, start + c,
                    reinterpret_cast<SumRow*>(to[0] + c));
  }

 private:
  void multiply_rows(int64_t rows, GroupRows inputs, const char* weights, const int32_t* start,
                     SumRow* to) const {
    switch (rows) {
      case 1:
        return multiply_block<1>(inputs, weights, start, to);
      case 2:
        return multiply_block<2>(inputs, weights, start, to);
      case 3:
        return multiply_block<3>(inputs, weights, start, to);
      case 4:
        return multiply_block<4>(inputs, weights, start, to);
      case 5:
        if constexpr (kRows > 4) return multiply_block<5>(inputs, weights, start, to);
        break;
      case 6:
        if constexpr (kRows > 4) return multiply_block<6>(inputs, weights, start, to);
        break;
      default:
        break;
    }
  }

  /// Outputs of kPanelVectors vectors, whose groups are kPanelStep apart.
  template <int kBlockRows>
  void multiply_block(GroupRows inputs, const char* weights, const int32_t* start,
                      SumRow* to) const {
    typename Dots::Sums sums[kBlockRows][kPanelVectors];
    for (int v = 0; v < kPanelVectors; ++v) {
      const auto first = reinterpret_cast<typename Dots::Sums>(load_ints(start + v * kLanes));
      for (int r = 0; r < kBlockRows; ++r) sums[r][v] = first;
    }
    for (int64_t g = 0; g < groups_; ++g) {
      typename Dots::Weights w[kPanelVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v) {
        w[v] = Dots::read(weights + g * kPanelStep + v * kLanes * kGroupBytes);
      }
#pragma GCC unroll 6
      for (int r = 0; r < kBlockRows; ++r) {
        int32_t group;
        std::memcpy(&group, inputs.data + r * inputs.stride + g * kGroupBytes, sizeof group);
#pragma GCC unroll 4
        for (int v = 0; v < kPanelVectors; ++v) sums[r][v] = Dots::add(sums[r][v], w[v], group);
      }
    }
    for (int r = 0; r < kBlockRows; ++r) {
      for (int v = 0; v < kPanelVectors; ++v)
        store_ints(to[r] + v * kLanes, reinterpret_cast<IntVector>(sums[r][v]));
    }
  }

  int64_t groups_;
};

}  // namespace dietmt::kernels::DIETMT_ISA
