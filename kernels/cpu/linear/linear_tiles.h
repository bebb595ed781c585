// Products of a block of rows and a panel of packed weights with the tiles of AMX (Intel 64 and
// IA-32 Architectures Software Developer's Manual, volume 1, chapter 18). A tile has 16 rows of 64
// bytes: 16 rows of inputs by 16 groups, or 16 groups of panels by 16 outputs, which lie there as
// the products want them, or sums of 16 rows by 16 outputs. For the source of that instruction set.
#pragma once

#include "kernels/cpu/linear/linear_products.h"

namespace dietmt::kernels::DIETMT_ISA {

constexpr int64_t kTileRows = 16;
constexpr int64_t kTileGroups = 16;
constexpr int64_t kTileOutputs = 16;

// The memory clobbers make the compiler finish its stores first: it does not see what the
// instructions read and write.
template <int kTile>
inline void load_tile(const void* from, int64_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(stride), "i"(kTile) : "memory");
}
template <int kTile>
inline void store_tile(void* to, int64_t stride) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(stride), "i"(kTile) : "memory");
}

/// Tile kSums += rows of tile kRows times weights of tile kWeights.
template <WeightType kType, int kSums, int kRows, int kWeights>
inline void multiply_tiles() {
  if constexpr (kType == WeightType::kInt8) {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSums), "i"(kRows), "i"(kWeights));
  } else {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSums), "i"(kRows), "i"(kWeights));
  }
}

/// Tiles 0 to 3 hold sums, the others rows and weights. The groups are a multiple of kTileGroups.
template <WeightType kProductType>
class TileProduct {
 public:
  static constexpr WeightType kType = kProductType;
  static constexpr int kRows = 2 * kTileRows;
  static constexpr bool kPrefetchesOutput = false;  // prefetching only slows tiles down

  TileProduct(int64_t rows, int64_t groups) : groups_(groups), second_rows_(rows - kTileRows) {
    struct alignas(64) {
      uint8_t palette = 1, start_row = 0, reserved[14] = {};
      uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
      uint8_t rows[16] = {};
    } shapes;
    const auto first = static_cast<uint8_t>(second_rows_ > 0 ? kTileRows : rows);
    const auto second = static_cast<uint8_t>(rows - first);
    const uint8_t two_by_two[8] = {first, first, second, second, first, second, 16, 16};
    const uint8_t one_by_four[8] = {first, first, first, first, first, 16, 16, 16};
    std::memcpy(shapes.rows, second > 0 ? two_by_two : one_by_four, 8);
    asm volatile("ldtilecfg %0" ::"m"(shapes) : "memory");
  }
  ~TileProduct() { asm volatile("tilerelease"); }
  TileProduct(const TileProduct&) = delete;
  TileProduct& operator=(const TileProduct&) = delete;

  /// Always processes as many rows as the largest block has; those past the end are computed and
  /// discarded. The last block is the largest, so such rows exist.
  void multiply(int64_t /*rows*/, GroupRows inputs, const char* panel, const int32_t* start,
                SumRow* to) const {
    if (second_rows_ > 0) {
      multiply_half(inputs, panel, start, to[0]);
      constexpr int64_t kHalf = kPanelOutputs / 2;
      multiply_half(inputs, panel + kHalf * kGroupBytes, start + kHalf, to[0] + kHalf);
    } else {
      multiply_few(inputs, panel, start, to[0]);
    }
  }

 private:
  static constexpr int64_t kTileBytes = kTileOutputs * kGroupBytes;  // of a row of weights
  static constexpr int64_t kSumStride = sizeof(SumRow);

  /// Every row of tiles 0 and 1 begins as `first`, of 2 and 3 as `second`: outputs of two tiles
  /// each.
  static void start_sums(const int32_t* first, const int32_t* second) {
    load_tile<0>(first, 0);
    load_tile<1>(first + kTileOutputs, 0);
    load_tile<2>(second, 0);
    load_tile<3>(second + kTileOutputs, 0);
  }
  static void store_sums(int32_t* first, int32_t* second) {
    store_tile<0>(first, kSumStride);
    store_tile<1>(first + kTileOutputs, kSumStride);
    store_tile<2>(second, kSumStride);
    store_tile<3>(second + kTileOutputs, kSumStride);
  }

  /// Up to 16 rows and all outputs.
  void multiply_few(GroupRows inputs, const char* weights, const int32_t* start,
                    int32_t* to) const {
    start_sums(start, start + 2 * kTileOutputs);
    for (int64_t g = 0; g < groups_; g += kTileGroups, weights += kTileGroups * kPanelStep) {
      load_tile<4>(inputs.data + g * kGroupBytes, inputs.stride);
      load_tile<5>(weights, kPanelStep);
      multiply_tiles<kType, 0, 4, 5>();
      load_tile<6>(weights + kTileBytes, kPanelStep);
      multiply_tiles<kType, 1, 4, 6>();
      load_tile<7>(weights + 2 * kTileBytes, kPanelStep);
      multiply_tiles<kType, 2, 4, 7>();
      load_tile<5>(weights + 3 * kTileBytes, kPanelStep);
      multiply_tiles<kType, 3, 4, 5>();
    }
    store_sums(to, to + 2 * kTileOutputs);
  }

  /// 17 to 32 rows and half of the outputs.
  void multiply_half(GroupRows inputs, const char* weights, const int32_t* start,
                     int32_t* to) const {
    start_sums(start, start);
    const GroupRows second = inputs.from(kTileRows);
    for (int64_t g = 0; g < groups_; g += kTileGroups, weights += kTileGroups * kPanelStep) {
      load_tile<4>(inputs.data + g * kGroupBytes, inputs.stride);
      load_tile<6>(weights, kPanelStep);
      multiply_tiles<kType, 0, 4, 6>();
      load_tile<7>(weights + kTileBytes, kPanelStep);
      multiply_tiles<kType, 1, 4, 7>();
      load_tile<5>(second.data + g * kGroupBytes, second.stride);
      multiply_tiles<kType, 2, 5, 6>();
      multiply_tiles<kType, 3, 5, 7>();
    }
    store_sums(to, to + kTileRows * kPanelOutputs);
  }

  int64_t groups_, second_rows_;
};

}  // namespace dietmt::kernels::DIETMT_ISA
