// The offset tables of all heads, as the tiles read them: prepared once a call, shared by threads.
#pragma once

#include "kernels/cpu/attention/head_rows.h"
#include "kernels/cpu/attention/offset_table.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/transpose.h"

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
  /// Relative keys and values have offsets j - i. Relative queries are seen from the keys and have
  /// i - j: the rows of their table come in reverse order, and keys take the place of queries in
  /// all bands.
  ///
  /// A constant added to all scores of a query changes no probability. So the transposed vectors
  /// of relative keys are differences from the first one, which is left out: 2C products instead of
  /// 2C + 1, and 2C is often a whole number of lanes. Scores::left_out() has the constant.
  enum class Use { kRelativeKeys, kRelativeQueries, kRelativeValues };

  RelativeVectors(const HeadTable& table, int64_t largest_offset, const AttentionSizes& sizes,
                  Use use)
      : clip(largest_offset),
        band(use == Use::kRelativeQueries
                 ? Band::of(clip, 0, sizes.max_keys, 0, sizes.max_queries)
                 : Band::of(clip, 0, sizes.max_queries, 0, sizes.max_keys)),
        width(padded(sizes.head_width)),
        head_width_(sizes.head_width),
        left_out_(use == Use::kRelativeKeys ? 1 : 0),
        columns_(row_stride(band.width - left_out_)),
        heads_(table.data == nullptr    ? 0
               : table.head_stride == 0 ? 1
                                        : sizes.heads),
        rows_(heads_ * band.width * width),
        transposed_(heads_ * width * columns_ + kLanes) {
    transposed_.clear();
    const int64_t direction = use == Use::kRelativeQueries ? -1 : 1;
    for (int64_t h = 0; h < heads_; ++h) {
      float* first =
          table.data + h * table.head_stride + (clip + direction * band.lowest) * sizes.head_width;
      const HeadVectors vectors{{first, direction * sizes.head_width},
                                ElementType::kFloat,
                                0,
                                band.width,
                                0,
                                sizes.head_width};
      float* rows = rows_.get() + h * band.width * width;
      read_rows(vectors, 1.0f, rows, width);
      float* column = transposed_.get() + h * width * columns_;
      transpose(rows + left_out_ * width, width, band.width - left_out_, width, column, columns_);
      if (left_out_ == 0) continue;
      for (int64_t d = 0; d < width; ++d)
        for (int64_t o = 0; o < columns_; ++o) column[d * columns_ + o] -= rows[d];
    }
  }

  explicit operator bool() const { return heads_ > 0; }

  /// The vector of the first offset that occurs: [width].
  const float* first_row(int64_t head) const { return rows_of(head, band); }

  /// Products of `count` rows with the vectors of `part`. Of the offsets of all rows, those of
  /// kBlockRows rows from row r on are band_of(r, rows); only their products are written, and the
  /// repeated ends. to: [count, part.row_size()], entry 0 of the first row.
  template <typename BandOf>
  void multiply(int64_t count, const Matrix& from, int64_t head, const Band& part, BandOf band_of,
                float* to) const {
    const float* transposed = transposed_.get() + own(head) * width * columns_;
    const int64_t stride = part.row_size();
    for (int64_t r = 0; r < count; r += kBlockRows) {
      const int64_t rows = std::min(kBlockRows, count - r);
      const Band needed = band_of(r, rows);
      const int64_t known = needed.lowest == band.lowest ? left_out_ : 0;  // products of zero
      float* first = to + r * stride;
      product(rows, padded(needed.width - known), head_width_,
              {from.data + r * from.row_stride, from.row_stride},
              transposed + needed.lowest - band.lowest + known - left_out_, columns_,
              first + needed.lowest - part.lowest + known, stride, false);
      for (int64_t k = 0; k < rows; ++k, first += stride) {
        if (known == 1) first[0] = 0.0f;
        repeat_ends(first, part.width);
      }
    }
  }

  /// to[r] += the vectors of `part` weighted by weights[r], which are zero outside of
  /// band_of. weights: as `to` above; to: [count, to_stride].
  template <typename BandOf>
  void add_weighted(int64_t count, const float* weights, int64_t head, const Band& part,
                    BandOf band_of, float* to, int64_t to_stride) const {
    const int64_t stride = part.row_size();
    for (int64_t r = 0; r < count; r += kBlockRows) {
      const int64_t rows = std::min(kBlockRows, count - r);
      const Band needed = band_of(r, rows);
      product(rows, width, needed.width,
              {weights + r * stride + needed.lowest - part.lowest, stride}, rows_of(head, needed),
              width, to + r * to_stride, to_stride, true);
    }
  }

  const int64_t clip;
  const Band band;
  const int64_t width;  // padded head width

 private:
  /// Rows a multiple of 512 bytes apart would share a few sets of the cache.
  static int64_t row_stride(int64_t count) {
    return padded(count) % 128 == 0 ? padded(count) + kLanes : padded(count);
  }
  int64_t own(int64_t head) const { return heads_ == 1 ? 0 : head; }
  /// [part.width, width]
  const float* rows_of(int64_t head, const Band& part) const {
    return rows_.get() + (own(head) * band.width + part.lowest - band.lowest) * width;
  }

  int64_t head_width_;
  int64_t left_out_;  // vectors before the first of the transposed ones
  int64_t columns_;   // row stride of those
  int64_t heads_;
  Buffer rows_;        // [H|1, band.width, width]
  Buffer transposed_;  // [H|1, width, columns_]
};

struct HeadTables {
  explicit HeadTables(const AttentionForward& call)
      : offset_bias(call.terms.tables.offset_bias, call.terms.bias_clip, call.sizes),
        relative_keys(call.terms.tables.relative_keys, call.terms.key_clip, call.sizes,
                      RelativeVectors::Use::kRelativeKeys),
        relative_queries(call.terms.tables.relative_queries, call.terms.query_clip, call.sizes,
                         RelativeVectors::Use::kRelativeQueries),
        relative_values(call.terms.tables.relative_values, call.terms.value_clip, call.sizes,
                        RelativeVectors::Use::kRelativeValues) {}

  OffsetBias offset_bias;
  RelativeVectors relative_keys;
  RelativeVectors relative_queries;
  RelativeVectors relative_values;
};

}  // namespace dietmt::kernels::DIETMT_ISA
