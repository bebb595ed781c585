// Where a block stands: its sentence, its tile of scores, and its shared memory.
#pragma once

#include "kernels/cuda/fragments.cuh"

namespace dietmt::kernels {

constexpr int kOffsets = 2 * kTile - 1;     // different offsets in a tile
constexpr int kBandStride = 2 * kTile + 4;  // of the fp32 numbers by offset, for each row
constexpr int kListedRows = static_cast<int>(kDeviceTileRows);
constexpr float kLog2E = 1.4426950408889634f;

struct Sentence {
  int index = 0;
  int64_t query_begin = 0;
  int64_t key_begin = 0;
  int queries = 0;
  int keys = 0;
};

DIETMT_DEVICE Sentence sentence_at(const AttentionSizes& sizes, int index) {
  const int64_t* queries = sizes.device_query_offsets.data + index;
  const int64_t* keys = sizes.device_key_offsets.data + index;
  return {index, queries[0], keys[0], static_cast<int>(queries[1] - queries[0]),
          static_cast<int>(keys[1] - keys[0])};
}

/// The scores of 64 queries and 64 keys, with queries as rows or keys as rows. Starts count from
/// the start of the sentence; `rows` and `columns` are what is left of the sentence from there on.
template <bool kQueryRows>
struct Tile {
  int row_start = 0;
  int column_start = 0;
  int rows = 0;
  int columns = 0;

  DIETMT_DEVICE int query_start() const { return kQueryRows ? row_start : column_start; }
  DIETMT_DEVICE int key_start() const { return kQueryRows ? column_start : row_start; }
  DIETMT_DEVICE int query(int row, int column) const {
    return kQueryRows ? row_start + row : column_start + column;
  }
  DIETMT_DEVICE int key(int row, int column) const {
    return kQueryRows ? column_start + column : row_start + row;
  }
  DIETMT_DEVICE int lowest_offset() const { return key_start() - query_start() - (kTile - 1); }
  /// key - query, counted from lowest_offset().
  DIETMT_DEVICE int offset_index(int row, int column) const {
    return kTile - 1 + (kQueryRows ? column - row : row - column);
  }
  DIETMT_DEVICE bool visible(int row, int column, bool causal) const {
    return row < rows && column < columns && (!causal || key(row, column) <= query(row, column));
  }
};

DIETMT_DEVICE const float* head_table(const HeadTable& table, int head) {
  return table.data + head * table.head_stride;
}

/// Takes arrays from shared memory one after the other; from null it measures the size.
class SharedMemory {
 public:
  DIETMT_HOST_DEVICE explicit SharedMemory(char* start) : start_(start) {}

  template <typename T>
  DIETMT_HOST_DEVICE T* take(int count) {
    T* array = reinterpret_cast<T*>(start_ + used_);
    used_ += (static_cast<int64_t>(sizeof(T)) * count + 15) / 16 * 16;
    return array;
  }
  DIETMT_HOST_DEVICE int64_t used() const { return used_; }

 private:
  char* start_;
  int64_t used_ = 0;
};

/// Shared memory of the score terms.
template <typename E>
struct TermMemory {
  E* chunk = nullptr;              // [128, stride]: entries of a table over offsets, or features
  float* band = nullptr;           // [64, kBandStride]: numbers of each row by offset
  float* offset_bias = nullptr;    // [128]: by offset, from the lowest of the tile on
  int* row_segments = nullptr;     // [64]
  int* column_segments = nullptr;  // [64]
};

template <typename E, int kWidth>
DIETMT_HOST_DEVICE TermMemory<E> take_term_memory(SharedMemory& memory,
                                                  const AttentionTables& tables, bool backward) {
  TermMemory<E> result;
  const bool relative = tables.relative_keys.data != nullptr ||
                        tables.relative_queries.data != nullptr ||
                        tables.relative_values.data != nullptr;
  if (relative || tables.query_features.data != nullptr) {
    result.chunk = memory.take<E>(2 * kTile * kStride<kWidth>);
  }
  if (relative || (backward && tables.offset_bias.data != nullptr)) {
    result.band = memory.take<float>(kTile * kBandStride);
  }
  result.offset_bias = memory.take<float>(2 * kTile);
  result.row_segments = memory.take<int>(kTile);
  result.column_segments = memory.take<int>(kTile);
  return result;
}

}  // namespace dietmt::kernels
