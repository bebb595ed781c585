// The scores of one tile with every term of kernels/attention.h, and the dropout of probabilities.
#pragma once

#include <limits>

#include "kernels/cuda/offset_band.cuh"
#include "kernels/dropout.h"

namespace dietmt::kernels {

/// Loads what the terms need of a tile besides the vectors; the caller synchronises the block
/// before and after.
template <typename E, bool kQueryRows>
DIETMT_DEVICE void load_term_vectors(const TermMemory<E>& memory, const AttentionForward& call,
                                     const Sentence& sentence, const Tile<kQueryRows>& tile,
                                     int head) {
  const AttentionTerms& terms = call.terms;
  const int thread = thread_index();
  if (terms.tables.offset_bias.data != nullptr && thread < kOffsets) {
    const int clip = static_cast<int>(terms.bias_clip);
    const int offset = tile.lowest_offset() + thread;
    const int clipped = offset < -clip ? -clip : offset > clip ? clip : offset;
    memory.offset_bias[thread] = head_table(terms.tables.offset_bias, head)[clipped + clip];
  }
  if (terms.tables.segment_bias.data != nullptr) {
    const bool is_row = thread < kTile;
    const int index = thread % kTile;
    const int start = is_row ? tile.row_start : tile.column_start;
    const bool valid = index < (is_row ? tile.rows : tile.columns);
    const int64_t token = sentence.query_begin + start + index;
    (is_row ? memory.row_segments : memory.column_segments)[index] =
        valid ? static_cast<int>(terms.segments[token]) : 0;
  }
}

/// Columns first .. first + kWidth - 1 of the features of up to 64 positions, zeros beyond.
template <typename E, int kWidth>
DIETMT_DEVICE void load_features(E* tile, const float* features, int64_t rank, int start, int rows,
                                 int first) {
  for (int index = thread_index(); index < kTile * kWidth / 2; index += kThreads) {
    const int row = index / (kWidth / 2);
    const int column = index % (kWidth / 2) * 2;
    const float* from = features + (start + row) * rank + first + column;
    const float left = row < rows && first + column < rank ? from[0] : 0.0f;
    const float right = row < rows && first + column + 1 < rank ? from[1] : 0.0f;
    *reinterpret_cast<uint32_t*>(tile + row * kStride<kWidth> + column) = pack<E>(left, right);
  }
}

template <typename E, int kWidth, bool kQueryRows>
DIETMT_DEVICE void add_features(Scores& scores, const AttentionTerms& terms,
                                const Tile<kQueryRows>& tile, int head,
                                const TermMemory<E>& memory) {
  const AttentionTables& tables = terms.tables;
  const float* rows = head_table(kQueryRows ? tables.query_features : tables.key_features, head);
  const float* columns = head_table(kQueryRows ? tables.key_features : tables.query_features, head);
  E* column_chunk = memory.chunk + kTile * kStride<kWidth>;
  for (int first = 0; first < terms.rank; first += kWidth) {
    sync_block();
    load_features<E, kWidth>(memory.chunk, rows, terms.rank, tile.row_start, tile.rows, first);
    load_features<E, kWidth>(column_chunk, columns, terms.rank, tile.column_start, tile.columns,
                             first);
    sync_block();
    multiply_transposed<E, kWidth>(scores, memory.chunk, column_chunk);
  }
}

/// What enters the softmax; -infinity where a key is hidden. All threads of the block call it,
/// after load_term_vectors.
template <typename E, int kWidth, bool kQueryRows>
DIETMT_DEVICE void compute_scores(Scores& scores, const E* rows, const E* columns,
                                  const AttentionForward& call, float scale,
                                  const Tile<kQueryRows>& tile, int head,
                                  const TermMemory<E>& memory) {
  const AttentionTerms& terms = call.terms;
  const AttentionTables& tables = terms.tables;
  scores.zero();
  multiply_transposed<E, kWidth>(scores, rows, columns);
  const HeadTable& of_rows = kQueryRows ? tables.relative_keys : tables.relative_queries;
  const HeadTable& of_columns = kQueryRows ? tables.relative_queries : tables.relative_keys;
  if (of_rows.data != nullptr) {
    add_by_row<E, kWidth>(scores, rows, head_table(of_rows, head),
                          kQueryRows ? terms.key_clip : terms.query_clip, tile, memory);
  }
  if (of_columns.data != nullptr) {
    add_by_column<E, kWidth>(scores, columns, head_table(of_columns, head),
                             kQueryRows ? terms.query_clip : terms.key_clip, tile, memory);
  }
  scores.for_each([&](int, int, float& score, int) { score *= scale; });
  if (tables.query_features.data != nullptr) {
    add_features<E, kWidth>(scores, terms, tile, head, memory);
  }
  if (tables.offset_bias.data != nullptr) {
    scores.for_each([&](int row, int column, float& score, int) {
      score += memory.offset_bias[tile.offset_index(row, column)];
    });
  }
  const bool causal = call.sizes.causal;
  const float* bias =
      tables.position_bias.data == nullptr ? nullptr : head_table(tables.position_bias, head);
  const float* segment_bias =
      tables.segment_bias.data == nullptr ? nullptr : head_table(tables.segment_bias, head);
  scores.for_each([&](int row, int column, float& score, int) {
    if (!tile.visible(row, column, causal)) {
      score = -std::numeric_limits<float>::infinity();
      return;
    }
    if (bias != nullptr) {
      score += bias[tile.query(row, column) * call.sizes.max_keys + tile.key(row, column)];
    }
    if (segment_bias != nullptr) {
      const int query = kQueryRows ? memory.row_segments[row] : memory.column_segments[column];
      const int key = kQueryRows ? memory.column_segments[column] : memory.row_segments[row];
      score += segment_bias[query * terms.segment_kinds + key];
    }
  });
}

/// Which probabilities of a tile are kept.
class Dropout {
 public:
  DIETMT_DEVICE Dropout(const AttentionSizes& sizes, const Sentence& sentence, int head)
      : key_(sizes.dropout_key),
        threshold_(sizes.dropout > 0.0 ? dropout_threshold(sizes.dropout) : 0),
        keys_(static_cast<uint32_t>(sizes.max_keys)),
        start_(static_cast<uint32_t>((sentence.index * sizes.heads + head) * sizes.max_queries *
                                     sizes.max_keys)) {}

  DIETMT_DEVICE bool used() const { return threshold_ > 0; }
  DIETMT_DEVICE bool keeps(int query, int key) const {
    const uint32_t index =
        start_ + static_cast<uint32_t>(query) * keys_ + static_cast<uint32_t>(key);
    return dropout_keeps(key_, index, threshold_);
  }

 private:
  uint64_t key_;
  uint32_t threshold_;
  uint32_t keys_;
  uint32_t start_;
};

/// 1 / (1 - p).
DIETMT_DEVICE float kept_scale(const AttentionSizes& sizes) {
  return static_cast<float>(1.0 / (1.0 - sizes.dropout));
}

}  // namespace dietmt::kernels
