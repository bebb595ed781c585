// Products with tables over clipped offsets, [2C + 1, kWidth], for one tile of scores. The offsets
// of a tile are a window of at most 127 entries of the table, loaded as a chunk; a band holds one
// fp32 number for each row of the tile and entry of the window. Two moves connect it with scores:
//   gather   score[r,c] += band[r, offset(r,c)]               (q . relative_keys, forward)
//   scatter  band[r,o] = sum of score[r,c] with offset(r,c) = o   (its adjoint; sums at both clips)
// Shaw et al. 2018 ("Self-Attention with Relative Position Representations").
#pragma once

#include "kernels/cuda/tile.cuh"

namespace dietmt::kernels {

/// Entries first .. first + width - 1, counted from offset 0, of a table clipped at `clip`.
struct Window {
  int first = 0;
  int width = 0;
  int clip = 0;

  DIETMT_DEVICE int column(int offset) const {
    return (offset < -clip ? -clip : offset > clip ? clip : offset) - first;
  }
  DIETMT_DEVICE int padded_width() const { return (width + kStep - 1) / kStep * kStep; }
  DIETMT_DEVICE int first_entry() const { return first + clip; }
};

template <bool kQueryRows>
DIETMT_DEVICE Window window_of(const Tile<kQueryRows>& tile, int64_t table_clip) {
  Window window;
  window.clip = static_cast<int>(table_clip);
  window.first = window.column(tile.lowest_offset());
  window.width = window.column(tile.lowest_offset() + kOffsets - 1) + 1;
  return window;
}

/// Loads the window's entries and fills up with zeros to the padded width.
template <typename E, int kWidth>
DIETMT_DEVICE void load_chunk(E* chunk, const float* table, const Window& window) {
  constexpr int kPairs = kWidth / 2;
  const float* start = table + int64_t{window.first_entry()} * kWidth;
  sync_block();
  for (int index = thread_index(); index < window.padded_width() * kPairs; index += kThreads) {
    const int row = index / kPairs;
    const int column = index % kPairs * 2;
    const float* from = start + row * kWidth + column;
    const uint32_t pair = row < window.width ? pack<E>(from[0], from[1]) : 0;
    *reinterpret_cast<uint32_t*>(chunk + row * kStride<kWidth> + column) = pair;
  }
  sync_block();
}

/// band = rows chunk^T for the warp's rows.
template <typename E, int kWidth>
DIETMT_DEVICE void fill_band(float* band, const E* rows, const E* chunk, const Window& window) {
  const int first_row = warp_index() * kWarpRows;
  float* to = band + (first_row + lane_index() / 4) * kBandStride + 2 * (lane_index() % 4);
  for (int n = 0; n < window.width; n += 16) {
    WarpRows<16> sums;
    sums.zero();
    DIETMT_UNROLL
    for (int k = 0; k < kWidth; k += kStep) {
      uint32_t a[4];
      uint32_t b[4];
      load_left<E, kWidth>(a, rows, first_row, k);
      load_right_transposed<E, kWidth>(b, chunk, n, k);
      multiply_add<E>(sums.value[0], a, b);
      multiply_add<E>(sums.value[1], a, b + 2);
    }
    DIETMT_UNROLL
    for (int e = 0; e < 8; ++e) {
      to[e / 2 % 2 * 8 * kBandStride + n + e / 4 * 8 + e % 2] = sums.value[e / 4][e % 4];
    }
  }
}

/// scores += rows . table[offset], where the table belongs to the rows of the scores.
template <typename E, int kWidth, bool kQueryRows>
DIETMT_DEVICE void add_by_row(Scores& scores, const E* rows, const float* table, int64_t clip,
                              const Tile<kQueryRows>& tile, const TermMemory<E>& memory) {
  const Window window = window_of(tile, clip);
  load_chunk<E, kWidth>(memory.chunk, table, window);
  fill_band<E, kWidth>(memory.band, rows, memory.chunk, window);
  sync_warp();
  const int lowest = tile.lowest_offset();
  scores.for_each([&](int row, int column, float& score, int) {
    const int offset = lowest + tile.offset_index(row, column);
    score += memory.band[row * kBandStride + window.column(offset)];
  });
}

/// scores += columns . table[offset], where the table belongs to the columns of the scores.
template <typename E, int kWidth, bool kQueryRows>
DIETMT_DEVICE void add_by_column(Scores& scores, const E* columns, const float* table, int64_t clip,
                                 const Tile<kQueryRows>& tile, const TermMemory<E>& memory) {
  const Window window = window_of(tile, clip);
  load_chunk<E, kWidth>(memory.chunk, table, window);
  fill_band<E, kWidth>(memory.band, columns, memory.chunk, window);
  sync_block();
  const int lowest = tile.lowest_offset();
  scores.for_each([&](int row, int column, float& score, int) {
    const int offset = lowest + tile.offset_index(row, column);
    score += memory.band[column * kBandStride + window.column(offset)];
  });
}

/// band[r,o] = sum of the scores of row r with offset o, for the warp's rows, zero elsewhere.
template <bool kQueryRows>
DIETMT_DEVICE void scatter_band(float* band, Scores& scores, const Tile<kQueryRows>& tile,
                                const Window& window) {
  float* rows = band + warp_index() * kWarpRows * kBandStride;
  const int width = window.padded_width();
  sync_block();
  for (int row = 0; row < kWarpRows; ++row) {
    for (int c = lane_index(); c < width; c += kWarpThreads) rows[row * kBandStride + c] = 0.0f;
  }
  sync_warp();
  float low[2] = {0.0f, 0.0f};
  float high[2] = {0.0f, 0.0f};
  const int lowest = tile.lowest_offset();
  scores.for_each([&](int row, int column, float& score, int half) {
    const int offset = lowest + tile.offset_index(row, column);
    if (offset <= -window.clip || window.clip == 0) {
      low[half] += score;
    } else if (offset >= window.clip) {
      high[half] += score;
    } else {
      band[row * kBandStride + offset - window.first] = score;
    }
  });
  const bool has_low = window.first == -window.clip;
  const bool has_high = window.clip > 0 && window.first + window.width - 1 == window.clip;
  DIETMT_UNROLL
  for (int half = 0; half < 2; ++half) {
    DIETMT_UNROLL
    for (int lane = 1; lane < 4; lane *= 2) {
      low[half] += shuffle_xor(low[half], lane);
      high[half] += shuffle_xor(high[half], lane);
    }
    if (lane_index() % 4 != 0) continue;
    float* row = rows + (lane_index() / 4 + 8 * half) * kBandStride;
    if (has_low) row[0] = low[half];
    if (has_high) row[window.width - 1] = high[half];
  }
  sync_warp();
}

/// sums += band chunk for the warp's rows.
template <typename E, int kWidth>
DIETMT_DEVICE void multiply_band(WarpRows<kWidth>& sums, const float* band, const E* chunk,
                                 const Window& window) {
  const float* row = band + (warp_index() * kWarpRows + lane_index() / 4) * kBandStride;
  for (int k = 0; k < window.width; k += kStep) {
    uint32_t a[4];
    DIETMT_UNROLL
    for (int e = 0; e < 4; ++e) {
      const float* from = row + e % 2 * 8 * kBandStride + k + e / 2 * 8 + 2 * (lane_index() % 4);
      a[e] = pack<E>(from[0], from[1]);
    }
    multiply_step<E, kWidth>(sums, a, chunk, k);
  }
}

}  // namespace dietmt::kernels
