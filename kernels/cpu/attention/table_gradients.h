// Gradients of the score tables. Each part of the batch sums its own; they are then added up in a
// fixed order, so that results do not depend on the number of threads.
#pragma once

#include <memory>

#include "kernels/cpu/attention/scores.h"

namespace dietmt::kernels::DIETMT_ISA {

/// The place of each table's sums in the block of one head and one part of the batch. A table whose
/// gradient is not wanted has size 0.
class GradientLayout {
 public:
  struct Place {
    int64_t start = 0;
    int64_t size = 0;
    explicit operator bool() const { return size > 0; }
  };

  explicit GradientLayout(const AttentionBackward& call) {
    const AttentionSizes& sizes = call.forward.sizes;
    const AttentionTables& wanted = call.grad_tables;
    const AttentionTerms& terms = call.forward.terms;
    const auto band = [&](int64_t clip) {
      return Band::of(clip, 0, sizes.max_queries, 0, sizes.max_keys);
    };
    bias_band = band(terms.bias_clip);
    key_band = band(terms.key_clip);
    query_band = Band::of(terms.query_clip, 0, sizes.max_keys, 0, sizes.max_queries);
    value_band = band(terms.value_clip);
    width = padded(sizes.head_width);
    position_bias = place(wanted.position_bias, sizes.max_queries * sizes.max_keys);
    query_features = place(wanted.query_features, sizes.max_queries * terms.rank);
    key_features = place(wanted.key_features, sizes.max_keys * terms.rank);
    offset_bias = place(wanted.offset_bias, bias_band.row_size());
    relative_keys = place(wanted.relative_keys, key_band.width * width);
    relative_queries = place(wanted.relative_queries, query_band.width * width);
    relative_values = place(wanted.relative_values, value_band.width * width);
    segment_bias = place(wanted.segment_bias, terms.segment_kinds * terms.segment_kinds);
  }

  /// Blocks are added in slices, which write to different numbers.
  int64_t slices() const { return std::min<int64_t>((size + 511) / 512, 64); }
  /// Adds a slice of the block of one head and part of the batch to the gradients of the call.
  void add_block(const AttentionBackward& call, int64_t head, float* block, int64_t slice) const;

  Band bias_band;  // the offsets of each table that occur in the batch
  Band key_band;
  Band query_band;  // of i - j, the others of j - i (RelativeVectors::Use)
  Band value_band;
  int64_t width;           // padded Dh
  Place position_bias;     // [T, S]
  Place query_features;    // [T, R]
  Place key_features;      // [S, R]
  Place offset_bias;       // the band, ends repeated
  Place relative_keys;     // [band, padded Dh]
  Place relative_queries;  // [band, padded Dh]
  Place relative_values;   // [band, padded Dh]
  Place segment_bias;      // [G, G]
  int64_t size = 0;        // of the block

 private:
  Place place(const HeadTable& wanted, int64_t count) {
    if (wanted.data == nullptr) return {};
    const Place here{size, count};
    size += padded(count);
    return here;
  }
};

/// to[r, 0:width] += from[r, 0:width] for `rows` rows.
inline void add_rows(const float* from, int64_t from_stride, int64_t rows, int64_t width, float* to,
                     int64_t to_stride) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < width; ++c) to[r * to_stride + c] += from[r * from_stride + c];
}

inline void GradientLayout::add_block(const AttentionBackward& call, int64_t head, float* block,
                                      int64_t slice) const {
  const int64_t head_width = call.forward.sizes.head_width;
  const AttentionTerms& terms = call.forward.terms;
  const AttentionTables& to = call.grad_tables;
  const auto begin_of = [&](int64_t count, int64_t s) { return count * s / slices(); };
  const auto plain = [&](const Place& from, const HeadTable& table) {
    if (!from) return;
    const int64_t first = begin_of(from.size, slice);
    add_rows(block + from.start + first, 0, 1, begin_of(from.size, slice + 1) - first,
             table.data + head * table.head_stride + first, 0);
  };
  const auto vectors = [&](const Place& from, const HeadTable& table, const Band& band,
                           int64_t clip, int64_t direction) {
    if (!from) return;
    const int64_t first = begin_of(band.width, slice);
    float* rows = table.data + head * table.head_stride +
                  (clip + direction * (band.lowest + first)) * head_width;
    add_rows(block + from.start + first * width, width, begin_of(band.width, slice + 1) - first,
             head_width, rows, direction * head_width);
  };
  plain(position_bias, to.position_bias);
  plain(query_features, to.query_features);
  plain(key_features, to.key_features);
  plain(segment_bias, to.segment_bias);
  vectors(relative_keys, to.relative_keys, key_band, terms.key_clip, 1);
  vectors(relative_queries, to.relative_queries, query_band, terms.query_clip, -1);
  vectors(relative_values, to.relative_values, value_band, terms.value_clip, 1);
  if (offset_bias && slice == 0) {
    float* sums = block + offset_bias.start + kLanes;
    fold_ends(sums, bias_band.width);
    float* table = to.offset_bias.data + head * to.offset_bias.head_stride;
    add_rows(sums, 0, 1, bias_band.width, table + terms.bias_clip + bias_band.lowest, 0);
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
