// Gradients of the tables, as partial sums: each block adds to memory that no other block writes,
// in the order of its tiles, and table_reduction.cuh adds the blocks' sums in a fixed order. So
// results are the same bits in every run, without atomics.
#pragma once

#include "kernels/cuda/score_terms.cuh"

namespace dietmt::kernels {

/// Part, group and head of a block, and the half of the columns of its sums.
struct BlockPlace {
  int part = 0;
  int group = 0;
  int head = 0;
  int half = 0;
};

/// Where a block's partial sums of a table start.
DIETMT_DEVICE float* block_partial(const HeadTable& partial, const Split& split,
                                   const BlockPlace& place, int64_t heads) {
  const int64_t block = int64_t{recomputed(place.part)} * split.groups + place.group;
  const int64_t slot = block * heads + place.head;
  return partial.data + slot * partial.head_stride;
}

DIETMT_DEVICE float* part_partial(const HeadTable& partial, const BlockPlace& place,
                                  int64_t heads) {
  return partial.data + (recomputed(place.part) * heads + place.head) * partial.head_stride;
}

/// The tables over offset vectors of a kernel, by their place in end_sums.
enum class VectorTable { kOfScores = 0, kOfValues = 1 };

template <typename S>
DIETMT_DEVICE float* end_sums_of(const TermMemory<S>& memory, VectorTable table, int warp,
                                 int end) {
  return memory.end_sums + ((static_cast<int>(table) * kWarps + warp) * 2 + end) * S::kWidth;
}

/// Sums of 16 offsets from `first` on and kPiece columns from `column` on, as fragments.
template <int kPiece>
using OffsetSums = float[kPiece / 8][4];

/// partial[offset] += factor * sums, and end_sums for offsets at the clip or beyond it.
template <typename S, int kPiece>
DIETMT_DEVICE void add_offset_sums(float* partial, int clip, int width, float factor,
                                   const OffsetSums<kPiece>& sums, int lowest, int first,
                                   int column, VectorTable table, const TermMemory<S>& memory) {
  const int own_column = column + 2 * (lane_index() % 4);
  DIETMT_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int index = first + lane_index() / 4 + 8 * half;
    const int offset = lowest + index;
    if (index >= S::kOffsets || offset <= -clip || offset >= clip) continue;
    float* to = partial + int64_t{offset + clip} * width;
    DIETMT_UNROLL
    for (int n = 0; n < kPiece / 8; ++n) {
      if (own_column + 8 * n >= width) continue;
      to[own_column + 8 * n] += factor * sums[n][2 * half];
      to[own_column + 8 * n + 1] += factor * sums[n][2 * half + 1];
    }
  }
  for (int end = 0; end < 2; ++end) {
    const bool touched =
        end == 0 ? lowest + first <= -clip || clip == 0 : lowest + first + 15 >= clip && clip > 0;
    if (!touched) continue;
    float* to = end_sums_of(memory, table, warp_index(), end);
    DIETMT_UNROLL
    for (int n = 0; n < kPiece / 8; ++n) {
      DIETMT_UNROLL
      for (int e = 0; e < 2; ++e) {
        float sum = 0.0f;
        DIETMT_UNROLL
        for (int half = 0; half < 2; ++half) {
          const int offset = lowest + first + lane_index() / 4 + 8 * half;
          const bool at_end = end == 0 ? offset <= -clip || clip == 0 : offset >= clip;
          if (at_end) sum += sums[n][2 * half + e];
        }
        for (int lane = 4; lane < kWarpThreads; lane *= 2) sum += shuffle_xor(sum, lane);
        if (lane_index() < 4) to[own_column + 8 * n + e] += factor * sum;
      }
    }
  }
}

/// partial[o] += factor * sum_r band[o,r] rows[r] over the rows that meet several entries; partial
/// is [2C + 1, width]. Begins after this warp has written their bands; ends when the block may
/// overwrite them.
template <typename S>
DIETMT_DEVICE void add_table_gradient(float* partial, int64_t table_clip, int width, float factor,
                                      const typename S::E* rows, const typename S::TileOf& tile,
                                      VectorTable table, const TermMemory<S>& memory) {
  using E = typename S::E;
  constexpr int kPiece = 16;  // columns at a time, for the registers of their sums
  constexpr int kSteps = S::kColumns / 16 + 1;  // that have rows with one of 16 offsets
  const int clip = static_cast<int>(table_clip);
  sync_block();
  for (int first = warp_index() * 16; first < S::kChunkRows; first += kWarps * 16) {
    const int first_row = S::kQueryRows ? kRows - 16 - first : first - S::kColumns;
    const auto counts = [&](int step) {
      const int row = first_row + 16 * step;
      return row >= 0 && row < kRows && tile.entries(clip, row, 16) == Entries::kSeveral;
    };
    unsigned steps = 0;
    for (int step = 0; step < kSteps; ++step) steps |= (counts(step) ? 1U : 0U) << step;
    if (steps == 0) continue;
    for (int column = 0; column < S::kWidth; column += kPiece) {
      OffsetSums<kPiece> sums = {};
      for (int step = 0; step < kSteps; ++step) {
        if ((steps >> step & 1U) == 0) continue;
        const int row = first_row + 16 * step;
        Fragment<E> a;
        load_left_in_pairs<E, S::kBandStride>(a, band_of<S>(memory, row),
                                              first - first_offset<S>(row), 0);
        DIETMT_UNROLL
        for (int n = 0; n < kPiece; n += 16) {
          Fragment<E> b;
          load_right<E, kStride<S::kWidth, E>>(b, rows, row, column + n);
          multiply_both<E>(sums[n / 8], sums[n / 8 + 1], a, b);
        }
      }
      add_offset_sums<S, kPiece>(partial, clip, width, factor, sums, tile.lowest_offset(), first,
                                 column, table, memory);
    }
  }
  sync_block();
}

template <typename S>
DIETMT_DEVICE float* row_sums_of(const TermMemory<S>& memory, VectorTable table, int end) {
  return memory.row_sums + (2 * static_cast<int>(table) + end) * kRows;
}

/// Before the first tile of a block's rows. The sums of rows belong to the threads that add to
/// them.
template <typename S>
DIETMT_DEVICE void clear_row_sums(const TermMemory<S>& memory) {
  if (memory.row_sums == nullptr) return;
  const int row = own_row(lane_index() % 4);
  for (int i = 0; i < 4; ++i) memory.row_sums[i * kRows + row] = 0.0f;
}

/// row_sums[entry, row] += the scores of rows whose offsets all have this entry.
template <typename S>
DIETMT_DEVICE void add_row_sums(const typename S::Scores& scores, int64_t clip,
                                const typename S::TileOf& tile, VectorTable table,
                                const TermMemory<S>& memory) {
  add_single_rows<S>(scores, clip, tile, [&](Entries entry, float sum) {
    float* sums = row_sums_of(memory, table, static_cast<int>(entry));
    sums[own_row(lane_index() % 4)] += sum;
  });
}

/// end_sums += factor * sum_r row_sums[r] rows[r], after the last tile.
template <typename S>
DIETMT_DEVICE void add_end_gradients(const typename S::E* rows, float factor, VectorTable table,
                                     const TermMemory<S>& memory) {
  using E = typename S::E;
  sync_warp();
  const int start = warp_index() * kWarpRows;
  for (int column = 2 * lane_index(); column < S::kWidth; column += 2 * kWarpThreads) {
    FloatPair sums[2] = {};
    for (int row = start; row < start + kWarpRows; ++row) {
      const FloatPair vector = read_pair<E>(rows + row * kStride<S::kWidth, E> + column);
      DIETMT_UNROLL
      for (int end = 0; end < 2; ++end) {
        const float weight = row_sums_of(memory, table, end)[row];
        sums[end].of[0] += weight * vector.of[0];
        sums[end].of[1] += weight * vector.of[1];
      }
    }
    DIETMT_UNROLL
    for (int end = 0; end < 2; ++end) {
      float* to = end_sums_of(memory, table, warp_index(), end) + column;
      to[0] += factor * sums[end].of[0];
      to[1] += factor * sums[end].of[1];
    }
  }
}

/// The first and last entries of a table, once a block is done.
template <typename S>
DIETMT_DEVICE void finish_table_gradient(float* partial, int64_t clip, int width, VectorTable table,
                                         const TermMemory<S>& memory) {
  sync_block();
  const int column = thread_index();
  if (column >= width) return;
  for (int end = 0; end < 2; ++end) {
    float sum = 0.0f;
    for (int warp = 0; warp < kWarps; ++warp) {
      sum += end_sums_of(memory, table, warp, end)[column];
    }
    partial[end * 2 * clip * width + column] += sum;
  }
}

}  // namespace dietmt::kernels
