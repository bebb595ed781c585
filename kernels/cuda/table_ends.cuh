// The first and last entry of a table over clipped offsets. Where all offsets of 16 rows and the
// columns of a tile lie beyond the clip, all have one of the two, x, and the products of
// offset_band.cuh shrink to
//   q . relative_keys[o]                     one number for each row (or column): q . x
//   sum_c score[r,c] relative_values[o]      one sum for each row, times x at the end of all tiles
// In long sentences these are nearly all tiles.
#pragma once

#include "kernels/cuda/term_memory.cuh"

namespace dietmt::kernels {

/// The tables by their place in `ends`: entry 2 place + 1 is the last of a table.
enum class EndTable { kOfRows = 0, kOfColumns = 1, kOfValues = 2 };

template <typename S>
DIETMT_DEVICE const typename S::E* ends_of(const TermMemory<S>& memory, EndTable table) {
  return memory.ends + 2 * static_cast<int>(table) * kStride<S::kWidth, typename S::E>;
}

/// Starts copying the ends of a table, if there is one.
template <typename S>
DIETMT_DEVICE void start_ends(typename S::E* ends, EndTable place, const ConvertedTable& table,
                              int64_t clip, int head) {
  using E = typename S::E;
  constexpr int kPieces = S::kWidth / kVector<E>;
  static_assert(2 * kPieces <= kThreads);
  const int index = recomputed(thread_index());
  if (table.data == nullptr || index >= 2 * kPieces) return;
  const int end = index / kPieces;
  const int column = index % kPieces * kVector<E>;
  const E* from = static_cast<const E*>(table.data) + head * table.head_stride;
  copy_async_cached(ends + (2 * static_cast<int>(place) + end) * kStride<S::kWidth, E> + column,
                    from + end * 2 * clip * S::kWidth + column);
}

/// sums += rows . entries for 16 rows from `row` on and 16 entries from `entry` on.
template <typename S>
DIETMT_DEVICE void multiply_entries(float (&sums)[2][4], const typename S::E* rows, int row,
                                    const typename S::E* entries, int entry) {
  using E = typename S::E;
  const auto multiply_step = [&](int k) {
    Fragment<E> a;
    Fragment<E> b;
    load_left<E, kStride<S::kWidth, E>>(a, rows, row, k);
    load_right_transposed<E, kStride<S::kWidth, E>>(b, entries, entry, k);
    multiply_both<E>(sums[0], sums[1], a, b);
  };
  if constexpr (kIsFloat<E>) {
    // Unrolled, the parts of the numbers would need too many registers.
    DIETMT_ROLLED
    for (int k = 0; k < S::kWidth; k += kStep) multiply_step(k);
  } else {
    DIETMT_UNROLL
    for (int k = 0; k < S::kWidth; k += kStep) multiply_step(k);
  }
}

/// to[end, row] = rows[row] . end for the ends of a table and 16 rows from `row` on; a row of `to`
/// has kCount numbers.
template <typename S, int kCount>
DIETMT_DEVICE void store_end_products(float* to, const typename S::E* rows, int row, EndTable table,
                                      const TermMemory<S>& memory) {
  float sums[2][4] = {};
  multiply_entries<S>(sums, rows, row, memory.ends, 0);
  if (lane_index() % 4 != static_cast<int>(table)) return;
  float* start = to + row + lane_index() / 4;
  DIETMT_UNROLL
  for (int e = 0; e < 4; ++e) start[e % 2 * kCount + e / 2 * 8] = sums[0][e];
}

/// store_end_products of all rows of this warp.
template <typename S>
DIETMT_DEVICE void store_row_ends(float* to, const typename S::E* rows, EndTable table,
                                  const TermMemory<S>& memory) {
  DIETMT_ROLLED
  for (int m = 0; m < kRowTiles; ++m) {
    store_end_products<S, kRows>(to, rows, warp_index() * kWarpRows + 16 * m, table, memory);
  }
}

/// store_end_products of all columns, by warps `first_warp`, first_warp + 1, ..
template <typename S>
DIETMT_DEVICE void store_column_ends(float* to, const typename S::E* columns, EndTable table,
                                     int first_warp, const TermMemory<S>& memory) {
  static_assert(S::kColumns <= 16 * kWarps);
  const int column = (warp_index() + kWarps - first_warp) % kWarps * 16;
  if (column >= S::kColumns) return;
  store_end_products<S, S::kColumns>(to, columns, column, table, memory);
}

/// scores += ends[row], for the 16-row tile m of the warp.
template <typename S>
DIETMT_DEVICE void add_row_ends(typename S::Scores& scores, int m, const float* ends) {
  DIETMT_UNROLL
  for (int half = 0; half < 2; ++half) {
    const float number = ends[own_row(2 * m + half)];
    DIETMT_UNROLL
    for (int n = 0; n < S::kColumns / 8; ++n) {
      DIETMT_UNROLL
      for (int e = 0; e < 2; ++e) scores.value[m][n][2 * half + e] += number;
    }
  }
}

/// scores += ends[column], for the 16-row tile m of the warp.
template <typename S>
DIETMT_DEVICE void add_column_ends(typename S::Scores& scores, int m, const float* ends) {
  DIETMT_UNROLL
  for (int n = 0; n < S::kColumns / 8; ++n) {
    DIETMT_UNROLL
    for (int e = 0; e < 2; ++e) {
      const float number = ends[8 * n + 2 * (lane_index() % 4) + e];
      DIETMT_UNROLL
      for (int half = 0; half < 2; ++half) scores.value[m][n][2 * half + e] += number;
    }
  }
}

/// A thread's sum of its scores of one row.
template <typename S>
DIETMT_DEVICE float own_row_sum(const typename S::Scores& scores, int slot) {
  float sum = 0.0f;
  DIETMT_UNROLL
  for (int n = 0; n < S::kColumns / 8; ++n) {
    DIETMT_UNROLL
    for (int e = 0; e < 2; ++e) sum += scores.value[slot / 2][n][slot % 2 * 2 + e];
  }
  return sum;
}

/// add(entry, sum of the scores of row own_row(lane_index() % 4)), if the offsets of its 16 rows
/// all have this entry.
template <typename S, typename Add>
DIETMT_DEVICE void add_single_rows(const typename S::Scores& scores, int64_t clip,
                                   const typename S::TileOf& tile, const Add& add) {
  const int first_row = warp_index() * kWarpRows;
  const Entries upper = tile.entries(clip, first_row, 16);
  const Entries lower = tile.entries(clip, first_row + 16, 16);
  if (upper == Entries::kSeveral && lower == Entries::kSeveral) return;
  // Each exchange halves the rows of a lane and doubles their columns; lane t keeps row slot t.
  const int t = recomputed(lane_index()) % 4;
  float pair[2];
  DIETMT_UNROLL
  for (int m = 0; m < 2; ++m) {
    const float even = own_row_sum<S>(scores, 2 * m);
    const float odd = own_row_sum<S>(scores, 2 * m + 1);
    pair[m] = (t % 2 == 0 ? even : odd) + shuffle_xor(t % 2 == 0 ? odd : even, 1);
  }
  const float sum = (t < 2 ? pair[0] : pair[1]) + shuffle_xor(t < 2 ? pair[1] : pair[0], 2);
  const Entries entries = t < 2 ? upper : lower;
  if (entries != Entries::kSeveral) add(entries, sum);
}

/// sums[row] += row_sums[0, row] * first + row_sums[1, row] * last, after the last tile. `ends` are
/// the two entries, from the first column of the sums on.
template <typename S, int kOut>
DIETMT_DEVICE void add_ends(WarpRows<kOut>& sums, const typename S::E* ends,
                            const float* row_sums) {
  using E = typename S::E;
  sync_warp();
  DIETMT_ROLLED
  for (int end = 0; end < 2; ++end) {
    float factor[kSlots];
    DIETMT_UNROLL
    for (int slot = 0; slot < kSlots; ++slot) factor[slot] = row_sums[end * kRows + own_row(slot)];
    DIETMT_UNROLL
    for (int n = 0; n < kOut / 8; ++n) {
      const FloatPair entry =
          read_pair<E>(ends + end * kStride<S::kWidth, E> + 8 * n + 2 * (lane_index() % 4));
      DIETMT_UNROLL
      for (int slot = 0; slot < kSlots; ++slot) {
        DIETMT_UNROLL
        for (int e = 0; e < 2; ++e) {
          sums.value[slot / 2][n][slot % 2 * 2 + e] += factor[slot] * entry.of[e];
        }
      }
    }
  }
}

}  // namespace dietmt::kernels
