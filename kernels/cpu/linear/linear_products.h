// Products of a block of rows and a panel of packed weights (kernels/packed_linear.h), with
// vectors. For sources compiled once for each instruction set.
#pragma once

#include <cstring>
#include <utility>

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
    RowCorrections corrections{};
    if constexpr (kCorrects) {
      for (int64_t r = 0; r < rows; ++r)
        corrections[r] = Dots::row_sum(inputs.from(r).data, groups_) * -Dots::kWeightOffset;
    }
    for (int64_t c = 0; c < kPanelOutputs; c += kBlockOutputs)
      multiply_rows(rows, inputs, panel + c * kGroupBytes, start + c, corrections,
                    reinterpret_cast<SumRow*>(to[0] + c));
  }

 private:
  /// Whether the sums of a row need a number added.
  static constexpr bool kCorrects = requires { Dots::kWeightOffset; };
  using RowCorrections = uint32_t[kRows];

  void multiply_rows(int64_t rows, GroupRows inputs, const char* weights, const int32_t* start,
                     const RowCorrections& corrections, SumRow* to) const {
    switch (rows) {
      case 1:
        return multiply_block<1>(inputs, weights, start, corrections, to);
      case 2:
        return multiply_block<2>(inputs, weights, start, corrections, to);
      case 3:
        return multiply_block<3>(inputs, weights, start, corrections, to);
      case 4:
        return multiply_block<4>(inputs, weights, start, corrections, to);
      case 5:
        if constexpr (kRows > 4) return multiply_block<5>(inputs, weights, start, corrections, to);
        break;
      case 6:
        if constexpr (kRows > 4) return multiply_block<6>(inputs, weights, start, corrections, to);
        break;
      default:
        break;
    }
  }

  /// Outputs of kPanelVectors vectors, whose groups are kPanelStep apart.
  template <int kBlockRows>
  void multiply_block(GroupRows inputs, const char* weights, const int32_t* start,
                      [[maybe_unused]] const RowCorrections& corrections, SumRow* to) const {
    Sums<kBlockRows> sums;
    for (int v = 0; v < kPanelVectors; ++v) {
      const auto first = reinterpret_cast<UintVector>(load_ints(start + v * kLanes));
      for (int r = 0; r < kBlockRows; ++r) {
        if constexpr (kCorrects) {
          sums[r][v] = first + corrections[r];
        } else {
          sums[r][v] = reinterpret_cast<typename Dots::Sums>(first);
        }
      }
    }
    int64_t g = 0;
    if constexpr (requires { &Dots::template add_lane<0>; }) {
      for (; g + kLanes <= groups_; g += kLanes)
        add_lanes(inputs.data + g * kGroupBytes, inputs.stride, weights + g * kPanelStep, sums);
    }
    for (; g < groups_; ++g) {
      typename Dots::Weights w[kPanelVectors];
      read(weights + g * kPanelStep, w);
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

  template <int kBlockRows>
  using Sums = typename Dots::Sums[kBlockRows][kPanelVectors];

  static void read(const char* weights, typename Dots::Weights (&w)[kPanelVectors]) {
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) w[v] = Dots::read(weights + v * kLanes * kGroupBytes);
  }

  /// The products of kLanes groups.
  template <int kBlockRows>
  static void add_lanes(const char* inputs, int64_t stride, const char* weights,
                        typename Dots::Sums (&sums)[kBlockRows][kPanelVectors]) {
    IntVector rows[kBlockRows];
#pragma GCC unroll 4
    for (int r = 0; r < kBlockRows; ++r) rows[r] = load_ints(inputs + r * stride);
    const auto add_lane = [&]<int kLane>(std::integral_constant<int, kLane>) {
      typename Dots::Weights w[kPanelVectors];
      read(weights + kLane * kPanelStep, w);
#pragma GCC unroll 4
      for (int r = 0; r < kBlockRows; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < kPanelVectors; ++v)
          sums[r][v] = Dots::template add_lane<kLane>(sums[r][v], w[v], rows[r]);
      }
    };
    [&]<int... kLane>(std::integer_sequence<int, kLane...>) {
      (add_lane(std::integral_constant<int, kLane>()), ...);
    }
    (std::make_integer_sequence<int, static_cast<int>(kLanes)>());
  }

  int64_t groups_;
};

}  // namespace dietmt::kernels::DIETMT_ISA
