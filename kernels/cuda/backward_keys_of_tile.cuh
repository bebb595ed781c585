// Gradients of the keys and values of a tile's columns, in blocks that have all queries of their
// sentences: the tile's probabilities and gradients of scores pass through shared memory, where the
// warps read them by column. No other block adds to these sums, so they are stored at once.
#pragma once

#include "kernels/cuda/backward_tiles.cuh"
#include "kernels/cuda/preparation.cuh"

namespace dietmt::kernels {

/// D of the queries of a tile. Readers synchronise the block.
template <typename Tiles>
DIETMT_DEVICE void store_deltas(const BackwardArguments& arguments, int64_t first, int count,
                                int head, const typename Tiles::Memory& memory) {
  DIETMT_ROLLED
  for (int row = recomputed(thread_index()) / 4; row < kRows; row += kThreads / 4) {
    const float delta = query_delta<typename Tiles::E>(
        arguments.call.forward, arguments.call.grad_output, first + row, head, row < count);
    if (thread_index() % 4 == 0) memory.delta[row] = delta;
  }
}

/// The rows of this warp. Readers synchronise the block.
template <typename Tiles>
DIETMT_DEVICE void store_tile(const typename Tiles::Scores& probabilities,
                              const typename Tiles::Scores& grad_scores,
                              const typename Tiles::Memory& memory) {
  using E = typename Tiles::E;
  DIETMT_UNROLL
  for (int slot = 0; slot < kSlots; ++slot) {
    const int place = own_row(slot) * kStride<Tiles::kColumns, E> + 2 * (lane_index() % 4);
    store_row<E>(memory.probabilities + place, probabilities.value[slot / 2], slot % 2, 1.0f,
                 Tiles::kColumns);
    store_row<E>(memory.grad_scores + place, grad_scores.value[slot / 2], slot % 2, 1.0f,
                 Tiles::kColumns);
  }
}

/// grad_values and grad_keys of the tile's columns. Half of the warps have the values, half the
/// keys; each has 16 columns.
template <typename Tiles>
DIETMT_DEVICE void store_key_gradients(const BackwardArguments& arguments, const CallView& view,
                                       const Sentence& sentence, const typename Tiles::TileOf& tile,
                                       const typename Tiles::Memory& memory) {
  using E = typename Tiles::E;
  constexpr int kWidth = Tiles::kWidth;
  constexpr int kScoreStride = kStride<Tiles::kColumns, E>;
  static_assert(Tiles::kColumns == 16 * kWarps / 2);
  const bool of_values = warp_index() < kWarps / 2;
  const int column = warp_index() % (kWarps / 2) * 16;
  const E* scores = of_values ? memory.probabilities : memory.grad_scores;
  const E* rows = of_values ? memory.rows.value : memory.rows.content;
  float sums[kWidth / 8][4] = {};
  DIETMT_UNROLL_TWICE
  for (int row = 0; row < kRows; row += kStep) {
    const ColumnRange seen =
        tile.seen_by(memory.terms.sentence_columns, row, kStep, view.call.sizes.causal);
    if (seen.empty() || !seen.meets_step(column)) continue;
    Fragment<E> a;
    load_left_transposed<E, kScoreStride>(a, scores, column, row);
    DIETMT_UNROLL
    for (int n = 0; n < kWidth; n += 16) {
      Fragment<E> b;
      load_right<E, kStride<kWidth, E>>(b, rows, row, n);
      multiply_both<E>(sums[n / 8], sums[n / 8 + 1], a, b);
    }
  }
  const HeadRows& grads = of_values ? arguments.call.grad_values : arguments.call.grad_keys;
  const int width = static_cast<int>(view.call.sizes.head_width);
  E* start = static_cast<E*>(grads.data) + int64_t{view.head} * width + 2 * (lane_index() % 4);
  DIETMT_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int key = column + lane_index() / 4 + 8 * half;
    if (key >= tile.columns) continue;
    const int64_t token = int64_t{sentence.key_begin} + tile.column_start + key;
    store_row<E>(start + token * grads.token_stride, sums, half, of_values ? 1.0f : view.scale,
                 width);
  }
}

}  // namespace dietmt::kernels
