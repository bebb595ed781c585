// Gradients of the tables, as partial sums: each block adds to memory that no other block writes,
// in the order of its sentences, and attention_driver.cuh adds the blocks' sums in a fixed order.
// So results are the same bits in every run, without atomics.
#pragma once

#include "kernels/cuda/attention_arguments.h"
#include "kernels/cuda/score_terms.cuh"

namespace dietmt::kernels {

/// Where a block's partial sums of a table start.
DIETMT_DEVICE float* block_partial(const HeadTable& partial, const Split& split, BlockIndex block,
                                   int64_t heads) {
  const int64_t slot = (int64_t{block.x} * split.groups + block.y) * heads + block.z;
  return partial.data + slot * partial.head_stride;
}

DIETMT_DEVICE float* part_partial(const HeadTable& partial, BlockIndex block, int64_t heads) {
  return partial.data + (block.x * heads + block.z) * partial.head_stride;
}

/// partial[o] += factor * sum_r band[r,o] rows[r] for the entries of a window; partial is
/// [2C + 1, kWidth]. Begins after all warps have written the band.
template <typename E, int kWidth>
DIETMT_DEVICE void add_table_gradient(float* partial, const float* band, const E* rows,
                                      const Window& window, float factor) {
  sync_block();
  const int row = 2 * (lane_index() % 4);
  for (int first = warp_index() * 16; first < window.width; first += kWarps * 16) {
    WarpRows<kWidth> sums;
    sums.zero();
    const int entry = first + lane_index() / 4;
    DIETMT_UNROLL
    for (int k = 0; k < kTile; k += kStep) {
      uint32_t a[4];
      DIETMT_UNROLL
      for (int e = 0; e < 4; ++e) {
        const float* from = band + (k + row + e / 2 * 8) * kBandStride + entry + e % 2 * 8;
        a[e] = pack<E>(from[0], from[kBandStride]);
      }
      multiply_step<E, kWidth>(sums, a, rows, k);
    }
    DIETMT_UNROLL
    for (int e = 0; e < 4; ++e) {
      const int target = entry + e / 2 * 8;
      if (target >= window.width) continue;
      float* to = partial + int64_t{window.first_entry() + target} * kWidth + row + e % 2;
      DIETMT_UNROLL
      for (int n = 0; n < kWidth / 8; ++n) to[8 * n] += factor * sums.value[n][e];
    }
  }
}

/// partial[o] += sum_r band[r,o].
DIETMT_DEVICE void add_offset_bias_gradient(float* partial, const float* band,
                                            const Window& window) {
  sync_block();
  const int thread = thread_index();
  if (thread >= window.width) return;
  float sum = 0.0f;
  for (int row = 0; row < kTile; ++row) sum += band[row * kBandStride + thread];
  partial[window.first_entry() + thread] += sum;
}

/// partial[i,j] += grad_scores, for the pairs of the tile.
DIETMT_DEVICE void add_position_bias_gradient(float* partial, Scores& grad_scores,
                                              const Tile<true>& tile, const AttentionSizes& sizes) {
  grad_scores.for_each([&](int row, int column, float& grad, int) {
    if (!tile.visible(row, column, sizes.causal)) return;
    partial[tile.query(row, column) * sizes.max_keys + tile.key(row, column)] += grad;
  });
}

/// partial[s, s'] += sum of grad_scores of the pairs of kinds s and s'. `sums` is scratch memory of
/// kTile floats.
DIETMT_DEVICE void add_segment_bias_gradient(float* partial, Scores& grad_scores, float* sums,
                                             const int* row_segments, const int* column_segments,
                                             int kinds) {
  for (int key = 0; key < kinds; ++key) {
    float row_sum[2] = {0.0f, 0.0f};
    grad_scores.for_each([&](int, int column, float& grad, int half) {
      if (column_segments[column] == key) row_sum[half] += grad;
    });
    sync_block();
    DIETMT_UNROLL
    for (int half = 0; half < 2; ++half) {
      row_sum[half] += shuffle_xor(row_sum[half], 1);
      row_sum[half] += shuffle_xor(row_sum[half], 2);
      const int row = warp_index() * kWarpRows + lane_index() / 4 + 8 * half;
      if (lane_index() % 4 == 0) sums[row] = row_sum[half];
    }
    sync_block();
    for (int query = thread_index(); query < kinds; query += kThreads) {
      float sum = 0.0f;
      for (int row = 0; row < kTile; ++row) {
        if (row_segments[row] == query) sum += sums[row];
      }
      partial[query * kinds + key] += sum;
    }
  }
}

/// partial[row] += sum_c grad_scores[row,c] features[c] for the rows of the tile; features and
/// partial are [positions, rank], of the columns and of the rows.
template <typename E, int kWidth, bool kQueryRows>
DIETMT_DEVICE void add_feature_gradient(float* partial, const Scores& grad_scores,
                                        const float* features, int64_t rank,
                                        const Tile<kQueryRows>& tile, E* chunk) {
  for (int first = 0; first < rank; first += kWidth) {
    sync_block();
    load_features<E, kWidth>(chunk, features, rank, tile.column_start, tile.columns, first);
    sync_block();
    WarpRows<kWidth> sums;
    sums.zero();
    multiply<E, kWidth>(sums, grad_scores, chunk);
    sums.for_each([&](int row, int column, float& sum, int) {
      if (row >= tile.rows || first + column >= rank) return;
      partial[(tile.row_start + row) * rank + first + column] += sum;
    });
  }
}

}  // namespace dietmt::kernels
