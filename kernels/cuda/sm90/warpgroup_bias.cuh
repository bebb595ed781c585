// The bias of each offset, and its gradient. In the scores of a warp the numbers of one offset lie
// along a diagonal: a thread's 8 x 8 squares (slot, n) with n - slot = d share their two offsets.
#pragma once

#include "kernels/cuda/sm90/warpgroup_tile.cuh"

namespace dietmt::kernels {

constexpr int kBiasOffsets = kRows + kTileTokens;  // of a block's tile, and one more
constexpr int kSquares = kTileTokens / 8;          // in a row

/// The biases of a block's tile of 128 rows by offset, in units of log 2, as the producer's lanes
/// hold them on their way to shared memory.
struct BiasOfTile {
  float value[kBiasOffsets / kWarpThreads];

  template <bool kQueryRows>
  DIETMT_DEVICE void read(const AttentionTerms& terms, int head, int row_start, int column_start) {
    const int lowest = kQueryRows ? column_start - row_start - (kRows - 1)
                                  : row_start - column_start - (kTileTokens - 1);
    const int clip = static_cast<int>(terms.bias_clip);
    const float* table = head_table(terms.tables.offset_bias, head) + clip;
    DIETMT_UNROLL
    for (int i = 0; i < kBiasOffsets / kWarpThreads; ++i) {
      value[i] = table[clip_to(lowest + i * kWarpThreads + lane_index(), clip)] * kLog2E;
    }
  }

  DIETMT_DEVICE void write(float* to) const {
    DIETMT_UNROLL
    for (int i = 0; i < kBiasOffsets / kWarpThreads; ++i) {
      to[i * kWarpThreads + lane_index()] = value[i];
    }
  }
};

/// scores = factor * scores + bias of the offset.
template <bool kQueryRows>
DIETMT_DEVICE void add_offset_bias(WarpgroupScores& scores, float factor, const float* bias) {
  const int row = group_index() * kWarpgroupRows + warpgroup_row(0);
  const int column = warpgroup_column(0);
  constexpr int kNext = kQueryRows ? 1 : -1;  // from a column to the next
  const float* own =
      bias + (kQueryRows ? kRows - 1 + column - row : kTileTokens - 1 + row - column);
  DIETMT_UNROLL
  for (int d = 1 - kRowSlots; d < kSquares; ++d) {
    const float numbers[2] = {own[8 * kNext * d], own[8 * kNext * d + kNext]};
    DIETMT_UNROLL
    for (int slot = 0; slot < kRowSlots; ++slot) {
      const int n = d + slot;
      if (n < 0 || n >= kSquares) continue;
      DIETMT_UNROLL
      for (int e = 0; e < 2; ++e) {
        float& score = scores.value[4 * n + 2 * slot + e];
        score = score * factor + numbers[e];
      }
    }
  }
}

/// Sums the gradients of a warpgroup's scores by offset.
struct BiasGradient {
  static constexpr int kDiagonals = kSquares + kRowSlots - 1;  // of 8 x 8 squares, of a warp
  static constexpr int kStride = 8 * kDiagonals;               // 8 modulo 16: no bank conflicts
  static constexpr int kWarpOffsets = kTileTokens + 16;
  static_assert(kStride % 16 == 8);

  float* diagonals = nullptr;  // of this warp: [8, kStride]
  float* sums = nullptr;       // of this warpgroup: [2, kGroupWarps, kWarpOffsets], in turns
  float* clipped = nullptr;    // of this thread, with a stride: offsets up to and from the clip on
  int turn = 0;

  /// Partial sums of all warpgroups.
  DIETMT_HOST_DEVICE static float* take(SharedMemory& shared) {
    return shared.take<float>(kGroups * (kGroupWarps * 8 * kStride +
                                         2 * kGroupWarps * kWarpOffsets + 2 * kWarpgroupThreads));
  }

  DIETMT_DEVICE explicit BiasGradient(float* memory) {
    if (memory == nullptr) return;
    const int group = group_index();
    diagonals = memory + warp_index() * 8 * kStride;
    memory += kGroups * kGroupWarps * 8 * kStride;
    sums = memory + group * 2 * kGroupWarps * kWarpOffsets;
    memory += kGroups * 2 * kGroupWarps * kWarpOffsets;
    clipped = memory + group * 2 * kWarpgroupThreads + thread_index() % kWarpgroupThreads;
    clipped[0] = 0.0f;
    clipped[kWarpgroupThreads] = 0.0f;
  }

  /// A thread's sums along its diagonals of squares: row g, column 8 d + 2 t + e.
  DIETMT_DEVICE void store_diagonals(const WarpgroupScores& grad_scores) {
    float* to = diagonals + lane_index() / 4 * kStride + 2 * (lane_index() % 4);
    DIETMT_UNROLL
    for (int d = 0; d < kDiagonals; ++d) {
      FloatPair pair = {{0.0f, 0.0f}};
      DIETMT_UNROLL
      for (int slot = 0; slot < kRowSlots; ++slot) {
        const int n = d - (kRowSlots - 1) + slot;
        if (n < 0 || n >= kSquares) continue;
        pair.of[0] += grad_scores.value[4 * n + 2 * slot];
        pair.of[1] += grad_scores.value[4 * n + 2 * slot + 1];
      }
      *reinterpret_cast<FloatPair*>(to + 8 * d) = pair;
    }
  }

  /// partial[offset] += sum of grad_scores with this offset, for rows that are queries. Offsets
  /// beyond the clip go to `clipped`. All threads of the warpgroup call it.
  DIETMT_DEVICE void add(float* partial, int clip, const WarpgroupScores& grad_scores,
                         const WarpgroupTile<true>& tile) {
    store_diagonals(grad_scores);
    sync_warp();
    float* by_warp = sums + turn * kGroupWarps * kWarpOffsets;
    turn ^= 1;
    const int warp = warp_index() % kGroupWarps;
    for (int index = lane_index(); index < kWarpOffsets; index += kWarpThreads) {
      float sum = 0.0f;
      DIETMT_UNROLL
      for (int g = 0; g < 8; ++g) {
        const int column = index - 7 + g;
        if (column >= 0 && column < kStride) sum += diagonals[g * kStride + column];
      }
      by_warp[warp * kWarpOffsets + index] = sum;
    }
    sync_warpgroup(1 + group_index());
    const int index = thread_index() % kWarpgroupThreads;
    float sum = 0.0f;
    DIETMT_UNROLL
    for (int w = 0; w < kGroupWarps; ++w) {
      const int place = index - 16 * (kGroupWarps - 1 - w);
      if (place >= 0 && place < kWarpOffsets) sum += by_warp[w * kWarpOffsets + place];
    }
    const int offset = tile.column_start - tile.row_start - (kWarpgroupRows - 1) + index;
    if (offset > -clip && offset < clip) {
      partial[offset + clip] += sum;
    } else {
      clipped[offset > 0 && clip > 0 ? kWarpgroupThreads : 0] += sum;
    }
  }

  /// The first and last entry of the table, once a warpgroup is done.
  DIETMT_DEVICE void finish(float* partial, int clip) {
    sync_warpgroup(1 + group_index());
    const int end = warp_index() % kGroupWarps;
    if (end > (clip > 0 ? 1 : 0)) return;
    const float* all = clipped - thread_index() % kWarpgroupThreads + end * kWarpgroupThreads;
    float sum = 0.0f;
    for (int i = lane_index(); i < kWarpgroupThreads; i += kWarpThreads) sum += all[i];
    for (int lane = 1; lane < kWarpThreads; lane *= 2) sum += shuffle_xor(sum, lane);
    if (lane_index() == 0) partial[end * 2 * clip] += sum;
  }
};

}  // namespace dietmt::kernels
