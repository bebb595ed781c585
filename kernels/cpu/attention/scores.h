// The scores of one head of one sentence, tile by tile, with every term of kernels/attention.h.
#pragma once

#include "kernels/cpu/attention/head_tables.h"
#include "kernels/cpu/transpose.h"

namespace dietmt::kernels::DIETMT_ISA {

constexpr int64_t kTileQueries = 48;
constexpr int64_t kTileKeys = 128;
/// Row stride of a tile. Column 0 is at kLanes; the margins are for reads along diagonals.
constexpr int64_t kTileStride = kTileKeys + 2 * kLanes;
constexpr int64_t kTileSize = kTileQueries * kTileStride;
/// Rows of a causal tile that share one number of visible columns.
constexpr int64_t kStripRows = 12;

class Scores {
 public:
  Scores(const AttentionForward& call, const HeadTables& tables);

  /// Reads the keys of a head of a sentence.
  void begin_sentence(int64_t head, int64_t sentence);
  /// Reads queries first .. first + count - 1 of the sentence, count <= kTileQueries.
  void begin_queries(int64_t first, int64_t count);

  /// The scores of these queries and keys first .. first + count - 1, count <= kTileKeys, up to
  /// left_out(). Hidden keys may have any score.
  void compute(int64_t first, int64_t count, float* tile);

  /// The constant that all computed scores of a row lack: the product with the first vector of
  /// relative keys (RelativeVectors).
  float left_out(int64_t row) const;

  /// How many of `count` keys from `first` on query row `row` of the tile sees.
  int64_t visible(int64_t row, int64_t first, int64_t count) const {
    if (!call.sizes.causal) return count;
    return std::clamp<int64_t>(first_query + row + 1 - first, 0, count);
  }

  /// The offsets j - i, as far as `clip`, of queries of the tile to all keys that they see.
  auto query_bands(int64_t clip) const {
    return [this, clip](int64_t row, int64_t count) {
      const int64_t first = first_query + row;
      const int64_t keys = call.sizes.causal ? first + 1 : key_count;
      return Band::of(clip, first, count, 0, keys);
    };
  }

  /// The offsets i - j of keys from `first` on to the queries of the tile.
  auto key_bands(int64_t clip, int64_t first) const {
    return [this, clip, first](int64_t row, int64_t count) {
      return Band::of(clip, first + row, count, first_query, queries);
    };
  }

  /// Calls f(first row, rows, visible columns of the last row) for strips of the tile.
  template <typename F>
  void for_strips(int64_t first, int64_t count, F f) const {
    const int64_t step = call.sizes.causal ? kStripRows : queries;
    for (int64_t row = 0; row < queries; row += step) {
      const int64_t rows = std::min(step, queries - row);
      const int64_t columns = visible(row + rows - 1, first, count);
      if (columns > 0) f(row, rows, columns);
    }
  }

  const AttentionForward& call;
  const HeadTables& tables;
  const int64_t content_width;  // of a query with its features, padded
  const int64_t value_width;    // padded head width
  const int64_t key_stride;     // of `transposed_keys`
  int64_t head = 0;
  int64_t sentence = 0;
  int64_t query_count = 0;  // in the sentence
  int64_t key_count = 0;
  int64_t first_query = 0;  // of the tile
  int64_t queries = 0;      // in the tile
  float scale = 1.0f;

  Band query_band;  // offsets j - i of relative_keys in the rows of the tile
  Band key_band;    // offsets i - j of relative_queries in the last computed tile

  Buffer query_rows;       // [kTileQueries, content_width]: scale * q, query features
  Buffer key_rows;         // [S, content_width]: k, key features
  Buffer transposed_keys;  // [content_width, key_stride]

 private:
  void add_position_terms(int64_t first, int64_t count, float* tile) const;
  void add_relative_queries(int64_t first, int64_t count, float* tile);

  Buffer segment_rows_;    // [G, key_stride]: segment_bias of each kind of query against the keys
  Buffer query_products_;  // [kTileQueries, ..]: q . relative_keys, ends repeated
  Buffer key_products_;    // [kTileKeys, ..]: k . relative_queries, ends repeated
  Buffer by_key_;          // [kTileKeys, kTileQueries]: those of each key with the queries
};

inline Scores::Scores(const AttentionForward& called, const HeadTables& head_tables)
    : call(called),
      tables(head_tables),
      content_width(padded(call.sizes.head_width +
                           (call.terms.tables.query_features.data ? call.terms.rank : 0))),
      value_width(padded(call.sizes.head_width)),
      key_stride(padded(call.sizes.max_keys) + kLanes),
      query_rows(kTileQueries * content_width),
      key_rows(padded(call.sizes.max_keys) * content_width),
      transposed_keys(content_width * key_stride),
      segment_rows_(call.terms.segment_kinds * key_stride),
      query_products_(tables.relative_keys ? kTileQueries * tables.relative_keys.band.row_size()
                                           : 0),
      key_products_(tables.relative_queries ? kTileKeys * tables.relative_queries.band.row_size()
                                            : 0),
      by_key_(tables.relative_queries ? kTileKeys * kTileQueries : 0) {}

/// Appends features [rows, rank] of a head to vectors of `offset` numbers.
inline void append_features(const HeadTable& table, int64_t head, int64_t first, int64_t count,
                            int64_t rank, float* to, int64_t offset, int64_t stride) {
  if (table.data == nullptr) return;
  const float* from = table.data + head * table.head_stride + first * rank;
  for (int64_t r = 0; r < count; ++r) {
    float* row = to + r * stride;
    std::memcpy(row + offset, from + r * rank, static_cast<size_t>(rank) * sizeof(float));
    std::fill(row + offset + rank, row + stride, 0.0f);
  }
}

inline void Scores::begin_sentence(int64_t h, int64_t b) {
  const AttentionSizes& sizes = call.sizes;
  head = h;
  sentence = b;
  scale = call.terms.content_scale[h];
  query_count = sizes.query_offsets[b + 1] - sizes.query_offsets[b];
  key_count = sizes.key_offsets[b + 1] - sizes.key_offsets[b];
  const HeadVectors keys{call.keys, sizes.type, sizes.key_offsets[b],
                         key_count, head,       sizes.head_width};
  read_rows(keys, 1.0f, key_rows.get(), content_width);
  append_features(call.terms.tables.key_features, head, 0, key_count, call.terms.rank,
                  key_rows.get(), sizes.head_width, content_width);
  transpose(key_rows.get(), content_width, key_count, content_width, transposed_keys.get(),
            key_stride);
  if (const HeadTable& bias = call.terms.tables.segment_bias; bias.data) {
    const int64_t kinds = call.terms.segment_kinds;
    const int64_t* segments = call.terms.segments + sizes.key_offsets[b];
    const float* table = bias.data + head * bias.head_stride;
    for (int64_t g = 0; g < kinds; ++g)
      for (int64_t j = 0; j < key_count; ++j)
        segment_rows_.get()[g * key_stride + j] = table[g * kinds + segments[j]];
  }
}

inline void Scores::begin_queries(int64_t first, int64_t count) {
  const AttentionSizes& sizes = call.sizes;
  first_query = first;
  queries = count;
  const HeadVectors rows{call.queries, sizes.type, sizes.query_offsets[sentence] + first,
                         count,        head,       sizes.head_width};
  read_rows(rows, scale, query_rows.get(), content_width);
  append_features(call.terms.tables.query_features, head, first, count, call.terms.rank,
                  query_rows.get(), sizes.head_width, content_width);
  const RelativeVectors& relative_keys = tables.relative_keys;
  if (!relative_keys) return;
  const auto band_of = query_bands(relative_keys.clip);
  query_band = band_of(0, count);
  relative_keys.multiply(count, {query_rows.get(), content_width}, head, query_band, band_of,
                         query_products_.get() + kLanes);
}

inline float Scores::left_out(int64_t row) const {
  if (!tables.relative_keys) return 0.0f;
  const float* query = query_rows.get() + row * content_width;
  const float* vector = tables.relative_keys.first_row(head);
  Vector sum{};
  for (int64_t c = 0; c < tables.relative_keys.width; c += kLanes)
    sum += load(query + c) * load(vector + c);
  return sum_of(sum);
}

inline void Scores::compute(int64_t first, int64_t count, float* tile) {
  for_strips(first, count, [&](int64_t row, int64_t rows, int64_t columns) {
    product(rows, padded(columns), content_width,
            {query_rows.get() + row * content_width, content_width}, transposed_keys.get() + first,
            key_stride, tile + row * kTileStride, kTileStride, false);
  });
  add_position_terms(first, count, tile);
  if (tables.relative_queries) add_relative_queries(first, count, tile);
}

inline void Scores::add_position_terms(int64_t first, int64_t count, float* tile) const {
  const HeadTable& position_bias = call.terms.tables.position_bias;
  const HeadTable& segment_bias = call.terms.tables.segment_bias;
  for (int64_t r = 0; r < queries; ++r) {
    const int64_t i = first_query + r;
    const int64_t columns = visible(r, first, count);
    float* row = tile + r * kTileStride;
    if (tables.offset_bias)
      add_entries(tables.offset_bias.row(head), tables.offset_bias.band, first - i, columns, row);
    if (tables.relative_keys)
      add_entries(query_products_.get() + kLanes + r * query_band.row_size(), query_band, first - i,
                  columns, row);
    if (segment_bias.data) {
      const int64_t kind = call.terms.segments[call.sizes.query_offsets[sentence] + i];
      const float* segments = segment_rows_.get() + kind * key_stride + first;
      for (int64_t c = 0; c < columns; c += kLanes) add_to(row + c, load(segments + c));
    }
    if (position_bias.data) {
      const float* from =
          position_bias.data + head * position_bias.head_stride + i * call.sizes.max_keys + first;
      int64_t c = 0;
      for (; c + kLanes <= columns; c += kLanes) add_to(row + c, load(from + c));
      if (c < columns) add_to(row + c, load_first(from + c, columns - c));
    }
  }
}

inline void Scores::add_relative_queries(int64_t first, int64_t count, float* tile) {
  const RelativeVectors& relative_queries = tables.relative_queries;
  const auto band_of = key_bands(relative_queries.clip, first);
  key_band = band_of(0, count);
  const float* products = key_products_.get() + kLanes;
  relative_queries.multiply(count, {key_rows.get() + first * content_width, content_width}, head,
                            key_band, band_of, key_products_.get() + kLanes);
  by_key_.clear(count * kTileQueries);
  for (int64_t c = 0; c < count; ++c)
    add_entries(products + c * key_band.row_size(), key_band, first_query - first - c, queries,
                by_key_.get() + c * kTileQueries);
  for_transposed(by_key_.get(), kTileQueries, count, queries, [&](int64_t r, int64_t c, Vector x) {
    add_to(tile + r * kTileStride + c, x * scale);
  });
}

}  // namespace dietmt::kernels::DIETMT_ISA
