// Where a block stands: its sentence, its tile of scores, and its shared memory.
#pragma once

#include "kernels/cuda/fragments.cuh"

namespace dietmt::kernels {

constexpr float kLog2E = 1.4426950408889634f;
constexpr float kLn2 = 0.6931471805599453f;

/// Or several neighbouring ones, whose tokens a tile takes for those of one.
struct Sentence {
  int index = 0;        // of the first
  int query_begin = 0;  // packed tokens of a call are fewer than 2^31
  int key_begin = 0;
  int queries = 0;
  int keys = 0;
  int count = 1;
};

DIETMT_DEVICE Sentence sentence_at(const AttentionSizes& sizes, int index, int count = 1) {
  const int64_t* queries = sizes.device_query_offsets.data + index;
  const int64_t* keys = sizes.device_key_offsets.data + index;
  return {index,
          static_cast<int>(queries[0]),
          static_cast<int>(keys[0]),
          static_cast<int>(queries[count] - queries[0]),
          static_cast<int>(keys[count] - keys[0]),
          count};
}

DIETMT_DEVICE Sentence sentence_of(const AttentionSizes& sizes, const TileOfSentence& tile) {
  return sentence_at(sizes, tile.sentence, tile.tile < 0 ? -tile.tile : 1);
}

DIETMT_DEVICE int first_row(const TileOfSentence& tile) {
  return tile.tile < 0 ? 0 : tile.tile * kRows;
}

/// Which of the sentences the token belongs to.
DIETMT_DEVICE int sentence_of_token(const int64_t* offsets, const Sentence& sentences,
                                    int64_t token) {
  int first = sentences.index;
  for (int left = sentences.count; left > 1;) {
    const int half = left / 2;
    const bool later = offsets[first + half] <= token;
    first += later ? half : 0;
    left = later ? left - half : half;
  }
  return first;
}

DIETMT_DEVICE int64_t query_tokens(const AttentionSizes& sizes) {
  return sizes.device_query_offsets.data[sizes.sentences];
}

DIETMT_DEVICE int clip_to(int offset, int clip) {
  return offset < -clip ? -clip : offset > clip ? clip : offset;
}

/// Which entries of a table that is clipped at C the offsets of some scores have: all the first
/// one, all the last one, or several.
enum class Entries { kFirst = 0, kLast = 1, kSeveral = 2 };

/// The scores of 128 rows and kTileColumns columns, with queries as rows or keys as rows. Starts
/// count from the start of the sentence; `rows` and `columns` are the rest of the sentence from
/// there on.
template <bool kQueryRows, int kTileColumns>
struct Tile {
  static constexpr int kColumns = kTileColumns;
  static constexpr int kOffsets = kRows + kColumns - 1;  // different offsets in a tile

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
  DIETMT_DEVICE int lowest_offset() const {
    return key_start() - query_start() - ((kQueryRows ? kRows : kColumns) - 1);
  }
  /// key - query, counted from lowest_offset().
  DIETMT_DEVICE static int offset_index(int row, int column) {
    return kQueryRows ? kRows - 1 + column - row : kColumns - 1 + row - column;
  }
  /// For rows first .. first + count - 1 and all columns.
  DIETMT_DEVICE Entries entries(int64_t table_clip, int first = 0, int count = kRows) const {
    const int clip = static_cast<int>(table_clip);
    const int lowest = kQueryRows ? column_start - row_start - first - (count - 1)
                                  : row_start + first - column_start - (kColumns - 1);
    if (lowest >= clip) return Entries::kLast;
    return lowest + count + kColumns - 2 <= -clip ? Entries::kFirst : Entries::kSeveral;
  }
  /// Whether the offsets of any 16 rows all have one entry.
  DIETMT_DEVICE bool has_single_entries(int64_t clip) const {
    return entries(clip, 0, 16) != Entries::kSeveral ||
           entries(clip, kRows - 16, 16) != Entries::kSeveral;
  }
  /// Whether these are the first columns that the rows meet.
  DIETMT_DEVICE bool begins(bool causal) const {
    return column_start == (!kQueryRows && causal ? row_start : 0);
  }
  /// Those that the row sees of `sentence`, the columns of its sentence; counted from the tile's.
  DIETMT_DEVICE ColumnRange visible(int row, const ColumnRange& sentence, bool causal) const {
    ColumnRange range{sentence.from - column_start, sentence.to - column_start};
    if (causal) {
      const int same = row_start + row - column_start;  // the column with the row's position
      if (kQueryRows) {
        range.to = same + 1 < range.to ? same + 1 : range.to;
      } else {
        range.from = same > range.from ? same : range.from;
      }
    }
    return range;
  }
  /// Those that any of the rows first .. first + count - 1 sees, as far as the borders of the first
  /// and of the last tell. `sentences`: by row.
  DIETMT_DEVICE ColumnRange seen_by(const ColumnRange* sentences, int first, int count,
                                    bool causal) const {
    const ColumnRange lowest = visible(first, sentences[first], causal);
    const ColumnRange highest = visible(first + count - 1, sentences[first + count - 1], causal);
    return {lowest.from > 0 ? lowest.from : 0, highest.to < columns ? highest.to : columns};
  }
  /// Whether all rows of this warp see all columns.
  DIETMT_DEVICE bool warp_sees_all(const ColumnRange* sentences, bool causal) const {
    const int first = warp_index() * kWarpRows;
    const int last = first + kWarpRows - 1;
    return visible(last, sentences[last], causal).from <= 0 &&
           visible(first, sentences[first], causal).to >= kColumns;
  }
};

/// The columns of the sentence of each row from `start` on; none for rows past the sentences. They
/// rise with the rows. A warp stores those of its own rows.
template <bool kQueryRows>
DIETMT_DEVICE void store_sentence_columns(ColumnRange* to, const AttentionSizes& sizes,
                                          const Sentence& sentence, int start) {
  constexpr int kPastAll = 1 << 30;
  const int row = recomputed(thread_index());
  const int rows = (kQueryRows ? sentence.queries : sentence.keys) - start;
  ColumnRange range{row < rows ? 0 : kPastAll, kQueryRows ? sentence.keys : sentence.queries};
  if (sentence.count > 1 && row < rows) {
    const int64_t* queries = sizes.device_query_offsets.data;
    const int64_t* keys = sizes.device_key_offsets.data;
    const int begin = kQueryRows ? sentence.query_begin : sentence.key_begin;
    const int own = sentence_of_token(kQueryRows ? queries : keys, sentence, begin + row);
    const int64_t* columns = (kQueryRows ? keys : queries) + own;
    const int first = kQueryRows ? sentence.key_begin : sentence.query_begin;
    range = {static_cast<int>(columns[0]) - first, static_cast<int>(columns[1]) - first};
  }
  to[row] = range;
}

/// Whether in one of the tiles first .. end - 1 all offsets of 16 rows have one entry. The offsets
/// of tile_at(index) rise or fall with the index.
template <typename TileAt>
DIETMT_DEVICE bool meet_single_entries(const TileAt& tile_at, int first, int end, int64_t clip) {
  return first < end &&
         (tile_at(first).has_single_entries(clip) || tile_at(end - 1).has_single_entries(clip));
}

DIETMT_DEVICE const float* head_table(const HeadTable& table, int head) {
  return table.data + recomputed(head) * table.head_stride;
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

/// Leaves the key of a call's dropout in shared memory, for registers are scarce: one for each
/// warp, whose lanes read it after sync_warp(), if the call drops anything.
DIETMT_DEVICE void store_dropout_key(const DropoutNumbers& dropout, uint64_t* keys) {
  if (dropout.threshold > 0 && lane_index() == 0) keys[warp_index()] = dropout.key.value();
}

/// Where dropout of the probabilities of a query begins (kernels/dropout.h): at the first key of
/// `sentences`, though the query may belong to a later one of them.
DIETMT_DEVICE uint32_t dropout_start(const uint64_t* keys, const AttentionSizes& sizes,
                                     const Sentence& sentences, int head, int query) {
  int own = sentences.index;
  uint32_t earlier_keys = 0;
  if (sentences.count > 1) {
    const int64_t* offsets = sizes.device_query_offsets.data;
    const int64_t token = int64_t{sentences.query_begin} + query;
    own = sentence_of_token(offsets, sentences, token);
    query = static_cast<int>(token - offsets[own]);
    earlier_keys = static_cast<uint32_t>(sizes.device_key_offsets.data[own] - sentences.key_begin);
  }
  const int64_t row = (own * sizes.heads + head) * sizes.max_queries + query;
  return dropout_row_start(keys[warp_index()], static_cast<uint32_t>(row)) -
         earlier_keys * kDropoutStep;
}

}  // namespace dietmt::kernels
