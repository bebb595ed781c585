// The offset tables of all heads, as the tiles read them: prepared once a call, shared by threads.
#pragma once

#include "kernels/cpu/head_rows.h"
#include "kernels/cpu/offset_table.h"
#include "kernels/cpu/product.h"

namespace dietmt::kernels::DIETMT_ISA {

/// The numbers of an offset bias that occur in the batch, ends repeated.
class OffsetBias {
 public:
  OffsetBias(const HeadTable& table, int64_t clip, const AttentionSizes& sizes)
      : band(Band::of(clip, 0, sizes.max_queries, 0, sizes.max_keys)),
        heads_(table.data == nullptr    ? 0
               : table.head_stride == 0 ? 1
                                        : sizes.heads),
        rows_(heads_ * band.row_size()) {
    for (int64_t h = 0; h < heads_; ++h) {
      float* row = rows_.get() + h * band.row_size() + kLanes;
      std::memcpy(row, table.data + h * table.head_stride + clip + band.lowest,
                  static_cast<size_t>(band.width) * sizeof(float));
      repeat_ends(row, band.width);
    }
  }

  explicit operator bool() const { return heads_ > 0; }
  const float* row(int64_t head) const {
    return rows_.get() + (heads_ == 1 ? 0 : head) * band.row_size() + kLanes;
  }

  const Band band;

 private:
  int64_t heads_;
  Buffer rows_;  // [H|1, band.row_size()]
};

/// The relative vectors that occur in the batch, as rows and transposed.
class RelativeVectors {
 public:
  /// kFirst: the transposed vectors are differences to the first. What a query adds to all its
  /// scores changes no probability, so that relative keys need one product less: 2C instead of
  /// 2C + 1, and 2C is often a whole number of lanes.
  enum class Origin { kZero, kFirst };

  RelativeVectors(const HeadTable& table, int64_t largest_offset, const AttentionSizes& sizes,
                  Origin origin)
      : clip(largest_offset),
        band(Band::of(largest_offset, 0, sizes.max_queries, 0, sizes.max_keys)),
        width(padded(sizes.head_width)),
        columns(padded(band.width) + kPanelVectors * kLanes),
        heads_(table.data == nullptr    ? 0
               : table.head_stride == 0 ? 1
                                        : sizes.heads),
        rows_(heads_ * band.width * width),
        transposed_(heads_ * width * columns) {
    transposed_.clear();
    for (int64_t h = 0; h < heads_; ++h) {
      float* first = table.data + h * table.head_stride + (clip + band.lowest) * sizes.head_width;
      const HeadVectors vectors{{first, sizes.head_width}, ElementType::kFloat, 0, band.width, 0,
                                sizes.head_width};
      float* rows = rows_.get() + h * band.width * width;
      read_rows(vectors, 1.0f, rows, width);
      float* column = transposed_.get() + h * width * columns;
      transpose(rows, width, band.width, width, column, columns);
      if (origin == Origin::kZero) continue;
      for (int64_t d = 0; d < width; ++d, column += columns)
        for (int64_t o = band.width - 1; o >= 0; --o) column[o] -= column[0];
    }
  }

  explicit operator bool() const { return heads_ > 0; }

  /// [part.width, width]
  const float* rows_of(int64_t head, const Band& part) const {
    return rows_.get() + (own(head) * band.width + part.lowest - band.lowest) * width;
  }
  /// [width, part.width], row stride `columns`
  const float* columns_of(int64_t head, const Band& part) const {
    return transposed_.get() + own(head) * width * columns + part.lowest - band.lowest;
  }

  const int64_t clip;
  const Band band;
  const int64_t width;    // padded head width
  const int64_t columns;  // row stride of the transposed vectors

 private:
  int64_t own(int64_t head) const { return heads_ == 1 ? 0 : head; }

  int64_t heads_;
  Buffer rows_;        // [H|1, band.width, width]
  Buffer transposed_;  // [H|1, width, columns]
};

struct HeadTables {
  explicit HeadTables(const AttentionForward& call)
      : offset_bias(call.terms.tables.offset_bias, call.terms.bias_clip, call.sizes),
        relative_keys(call.terms.tables.relative_keys, call.terms.key_clip, call.sizes,
                      RelativeVectors::Origin::kFirst),
        relative_queries(call.terms.tables.relative_queries, call.terms.query_clip, call.sizes,
                         RelativeVectors::Origin::kZero),
        relative_values(call.terms.tables.relative_values, call.terms.value_clip, call.sizes,
                        RelativeVectors::Origin::kZero) {}

  OffsetBias offset_bias;
  RelativeVectors relative_keys;
  RelativeVectors relative_queries;
  RelativeVectors relative_values;
};

}  // namespace dietmt::kernels::DIETMT_ISA
