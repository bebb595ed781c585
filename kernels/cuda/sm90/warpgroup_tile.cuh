// The 64 x 64 scores of a warpgroup, with queries as rows or keys as rows.
#pragma once

#include <limits>

#include "kernels/cuda/sm90/vector_tiles.cuh"
#include "kernels/cuda/tile.cuh"
#include "kernels/dropout.h"

namespace dietmt::kernels {

constexpr int kGroups = kRows / kWarpgroupRows;  // warpgroups of a block that share its tile
constexpr int kGroupWarps = kWarpgroupThreads / kWarpThreads;
constexpr int kProducerWarp = kGroups * kGroupWarps;
static_assert(kTileTokens == kWarpgroupRows);

using WarpgroupScores = WarpgroupRows<kTileTokens>;

DIETMT_DEVICE int group_index() { return warp_index() / kGroupWarps; }

/// Starts count from the start of the sentence; `rows` and `columns` are the rest of the
/// sentence from there on.
template <bool kQueryRows>
struct WarpgroupTile {
  int row_start = 0;
  int column_start = 0;
  int rows = 0;
  int columns = 0;

  DIETMT_DEVICE int query(int row, int column) const {
    return kQueryRows ? row_start + row : column_start + column;
  }
  DIETMT_DEVICE int key(int row, int column) const {
    return kQueryRows ? column_start + column : row_start + row;
  }
  /// Whether all rows see all columns.
  DIETMT_DEVICE bool sees_all(bool causal) const {
    if (rows < kWarpgroupRows || columns < kTileTokens) return false;
    constexpr int kLast = kTileTokens - 1;
    return !causal ||
           (kQueryRows ? column_start + kLast <= row_start : row_start + kLast <= column_start);
  }
};

/// Replaces the scores that are not visible. A thread counts from its first score, so that it
/// compares with constants.
template <bool kQueryRows>
DIETMT_DEVICE void replace_hidden(WarpgroupScores& scores, float value,
                                  const WarpgroupTile<kQueryRows>& tile, bool causal) {
  if (tile.sees_all(causal)) return;
  const int row = warpgroup_row(0);
  const int column = warpgroup_column(0);
  const int rows = tile.rows - row;
  const int columns = tile.columns - column;
  const int distance =
      causal ? tile.query(row, column) - tile.key(row, column) : std::numeric_limits<int>::max();
  DIETMT_UNROLL
  for (int i = 0; i < kTileTokens / 2; ++i) {
    const int r = row_step(i);
    const int c = column_step(i);
    const bool hidden = r >= rows || c >= columns || (kQueryRows ? c - r : r - c) > distance;
    if (hidden) scores.value[i] = value;
  }
}

/// Which probabilities of a thread are kept, bit i for scores.value[i]. All bits are set if the
/// call drops nothing. start(i): where dropout of the query of scores.value[i] begins.
template <bool kQueryRows, typename Start>
DIETMT_DEVICE uint32_t kept_scores(const DropoutNumbers& dropout,
                                   const WarpgroupTile<kQueryRows>& tile, const Start& start) {
  if (dropout.threshold == 0) return ~uint32_t{0};
  const int row = recomputed(warpgroup_row(0));
  const int column = recomputed(warpgroup_column(0));
  const uint32_t first = static_cast<uint32_t>(tile.key(row, column)) * kDropoutStep;
  uint32_t bits = 0;
  DIETMT_UNROLL
  for (int i = 0; i < kTileTokens / 2; ++i) {
    const auto key = static_cast<uint32_t>(kQueryRows ? column_step(i) : row_step(i));
    const uint32_t place = start(i) + first + key * kDropoutStep;
    bits |= (dropout_keeps_at(place, dropout.threshold) ? 1U : 0U) << i;
  }
  return bits;
}

/// Where dropout of a thread's queries begins, which are rows from `first` of the sentence on.
struct RowDropout {
  uint32_t starts[kRowSlots];

  DIETMT_DEVICE RowDropout(const DropoutNumbers& dropout, const uint64_t* keys,
                           const AttentionSizes& sizes, const Sentence& sentence, int head,
                           int first) {
    DIETMT_UNROLL
    for (int slot = 0; slot < kRowSlots; ++slot) {
      starts[slot] = dropout.threshold == 0
                         ? 0
                         : dropout_start(keys, sizes, sentence, head, first + warpgroup_row(slot));
    }
  }
  DIETMT_DEVICE uint32_t operator()(int i) const { return starts[slot_of(i)]; }
};

}  // namespace dietmt::kernels
