// The bias of each offset, and its gradient. In a warp's scores the numbers of one offset lie along
// a diagonal: a thread's squares (slot, n) with n - slot = d share their two offsets. So a thread
// reads two numbers for each diagonal of squares and sums gradients along it in registers.
#pragma once

#include "kernels/cuda/term_memory.cuh"

namespace dietmt::kernels {

/// Starts copying the biases of a tile's offsets.
template <typename S>
DIETMT_DEVICE void start_offset_bias(float* to, const AttentionTerms& terms,
                                     const typename S::TileOf& tile, int head) {
  if (terms.tables.offset_bias.data == nullptr) return;
  const int clip = static_cast<int>(terms.bias_clip);
  const float* table = head_table(terms.tables.offset_bias, head) + clip;
  for (int index = recomputed(thread_index()); index < S::kOffsets; index += kThreads) {
    copy_word_async(to + index, table + clip_to(tile.lowest_offset() + index, clip), true);
  }
}

/// scores = scale * scores + log2(e) * bias of the offset.
template <typename S>
DIETMT_DEVICE void add_offset_bias(typename S::Scores& scores, const float* bias, float scale) {
  const int base = S::TileOf::offset_index(own_row(0), 2 * (lane_index() % 4));
  constexpr int kNext = S::kQueryRows ? 1 : -1;  // from a column to the next
  DIETMT_UNROLL
  for (int d = 1 - kSlots; d < S::kColumns / 8; ++d) {
    const int at = base + 8 * kNext * d;
    const float numbers[2] = {bias[at] * kLog2E, bias[at + kNext] * kLog2E};
    DIETMT_UNROLL
    for (int slot = 0; slot < kSlots; ++slot) {
      const int n = d + slot;
      if (n < 0 || n >= S::kColumns / 8) continue;
      DIETMT_UNROLL
      for (int e = 0; e < 2; ++e) {
        float& score = scores.value[slot / 2][n][slot % 2 * 2 + e];
        score = score * scale + numbers[e];
      }
    }
  }
}

/// A thread's sums along its diagonals of squares, to memory: row g, column 8 d + 2 t + e.
template <typename S>
DIETMT_DEVICE void store_diagonals(float* own, const typename S::Scores& grad_scores) {
  float* to = own + lane_index() / 4 * S::kDiagonalStride + 2 * (lane_index() % 4);
  DIETMT_UNROLL
  for (int d = 0; d < S::kDiagonals; ++d) {
    FloatPair sums = {{0.0f, 0.0f}};
    DIETMT_UNROLL
    for (int slot = 0; slot < kSlots; ++slot) {
      const int n = d - (kSlots - 1) + slot;
      if (n < 0 || n >= S::kColumns / 8) continue;
      DIETMT_UNROLL
      for (int e = 0; e < 2; ++e) {
        sums.of[e] += grad_scores.value[slot / 2][n][slot % 2 * 2 + e];
      }
    }
    *reinterpret_cast<FloatPair*>(to + 8 * d) = sums;
  }
}

/// partial[offset] += sum of grad_scores of the tile with this offset, for rows that are queries.
/// Offsets beyond the clip go to clipped_sums. All threads of the block call it.
template <typename S>
DIETMT_DEVICE void add_offset_bias_gradient(float* partial, int clip,
                                            const typename S::Scores& grad_scores,
                                            const typename S::TileOf& tile,
                                            const TermMemory<S>& memory) {
  float* own = memory.diagonals + warp_index() * 8 * S::kDiagonalStride;
  store_diagonals<S>(own, grad_scores);
  sync_warp();
  for (int index = recomputed(lane_index()); index < S::kWarpOffsets; index += kWarpThreads) {
    float sum = 0.0f;
    DIETMT_UNROLL
    for (int g = 0; g < 8; ++g) {
      const int column = index - 7 + g;
      if (column >= 0 && column < S::kDiagonalStride) {
        sum += own[g * S::kDiagonalStride + column];
      }
    }
    memory.diagonal_sums[warp_index() * S::kWarpOffsets + index] = sum;
  }
  sync_block();
  for (int index = recomputed(thread_index()); index < S::kOffsets; index += kThreads) {
    float sum = 0.0f;
    DIETMT_UNROLL
    for (int warp = 0; warp < kWarps; ++warp) {
      const int place = index - (kRows - kWarpRows * (warp + 1));
      if (place >= 0 && place < S::kWarpOffsets) {
        sum += memory.diagonal_sums[warp * S::kWarpOffsets + place];
      }
    }
    const int offset = tile.lowest_offset() + index;
    if (offset > -clip && offset < clip) {
      partial[offset + clip] += sum;
    } else {
      const bool last = offset > 0 && clip > 0;
      memory.clipped_sums[(last ? kThreads : 0) + thread_index()] += sum;
    }
  }
}

/// The first and last entry of the table, once a block is done.
template <typename S>
DIETMT_DEVICE void finish_offset_bias_gradient(float* partial, int clip,
                                               const TermMemory<S>& memory) {
  sync_block();
  if (warp_index() > (clip > 0 ? 1 : 0)) return;
  const float* sums = memory.clipped_sums + warp_index() * kThreads + lane_index();
  float sum = 0.0f;
  for (int i = 0; i < kThreads; i += kWarpThreads) sum += sums[i];
  for (int lane = 1; lane < kWarpThreads; lane *= 2) sum += shuffle_xor(sum, lane);
  if (lane_index() == 0) partial[warp_index() * 2 * clip] += sum;
}

}  // namespace dietmt::kernels
