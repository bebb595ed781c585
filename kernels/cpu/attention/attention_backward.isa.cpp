// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
//
// With P the probabilities, m the dropout factors and D_i = dO_i . O_i (Dao et al. 2022, B.2):
//   dV = (P m)^T dO,  dS = P (m (dO V^T) - D),  dQ = dS K,  dK = dS^T Q,
// and the gradient of each score term is dS summed over the pairs that read the same entry.
#include "kernels/cpu/attention/attention_parts.h"
#include "kernels/cpu/attention/backward_work.h"
#include "kernels/cpu/attention/scores.h"
#include "kernels/cpu/attention/table_gradients.h"
#include "kernels/cpu/subnormals.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

constexpr int64_t kDiagonalRows = 8;
/// Zeros before the first row of a tile whose diagonals are summed.
constexpr int64_t kDiagonalMargin = padded(kDiagonalRows);

/// sums[c - r] += x[r, c] for all rows r and columns c of a tile with zeros around its `columns`
/// columns. Several rows are added before they go to memory, where neighbours overlap.
void sum_diagonals(const float* x, int64_t rows, int64_t columns, const Band& band, int64_t first,
                   float* sums) {
  for (int64_t r = 0; r < rows; r += kDiagonalRows) {
    const int64_t here = std::min(kDiagonalRows, rows - r);
    for (int64_t c = 1 - here; c < columns; c += kLanes) {  // in row r; row r + 1 has c + 1
      Vector sum{};
      for (int64_t k = 0; k < here; ++k) sum += load(x + (r + k) * kTileStride + c + k);
      add_to(sums + band.position(first + c - r), sum);
    }
  }
}

/// The backward pass of one head, sentence by sentence.
class BackwardHead {
  using Tables = AttentionTables;

 public:
  BackwardHead(const AttentionBackward& call, const HeadTables& tables,
               const GradientLayout& layout)
      : call_(call),
        sizes_(call.forward.sizes),
        tables_(tables),
        layout_(layout),
        scores_(call.forward, tables),
        relative_values_(tables.relative_values),
        dropout_(dropout_lanes(sizes_.dropout, sizes_.dropout_key)),
        probabilities_(kTileSize + 2 * kLanes),
        gradients_(kTileSize + 2 * kDiagonalMargin),
        values_(padded(sizes_.max_keys) * scores_.value_width),
        transposed_values_(scores_.value_width * scores_.key_stride),
        grad_output_(kTileQueries * scores_.value_width),
        grad_queries_(kTileQueries * scores_.content_width),
        grad_keys_(sizes_.max_keys * scores_.content_width),
        grad_values_(sizes_.max_keys * scores_.value_width),
        query_sums_(tables.relative_keys ? kTileQueries * tables.relative_keys.band.row_size() : 0),
        by_key_(tables.relative_queries ? kTileKeys * kTileQueries : 0),
        key_sums_(tables.relative_queries ? kTileKeys * tables.relative_queries.band.row_size()
                                          : 0),
        value_products_(relative_values_ ? kTileQueries * relative_values_.band.row_size() : 0),
        value_sums_(relative_values_ ? kTileQueries * relative_values_.band.row_size() : 0) {}

  /// Once, on the thread that runs it.
  void begin() { gradients_.clear(); }

  /// `block`: where the gradients of the tables of this head are summed.
  void run(int64_t head, int64_t sentence, float* block) {
    block_ = block;
    scores_.begin_sentence(head, sentence);
    read_rows(keys_of(call_.forward.values), 1.0f, values_.get(), scores_.value_width);
    transpose(values_.get(), scores_.value_width, scores_.key_count, scores_.value_width,
              transposed_values_.get(), scores_.key_stride);
    grad_keys_.clear(scores_.key_count * scores_.content_width);
    grad_values_.clear(scores_.key_count * scores_.value_width);
    for (int64_t i = 0; i < scores_.query_count; i += kTileQueries)
      run_tile(i, std::min(kTileQueries, scores_.query_count - i));
    write_rows(grad_keys_.get(), scores_.content_width, 1.0f, keys_of(call_.grad_keys));
    write_rows(grad_values_.get(), scores_.value_width, 1.0f, keys_of(call_.grad_values));
    if (layout_.of<&Tables::key_features>())
      add_features(layout_.of<&Tables::key_features>(), grad_keys_.get(), 0, scores_.key_count);
  }

 private:
  float* probability_row(int64_t r) { return probabilities_.get() + kLanes + r * kTileStride; }
  float* gradient_row(int64_t r) { return gradients_.get() + kDiagonalMargin + r * kTileStride; }
  float* sums(const GradientLayout::Place& place) { return block_ + place.start; }

  HeadVectors queries_of(const HeadRows& rows) const {
    return {rows,
            sizes_.type,
            sizes_.query_offsets[scores_.sentence] + scores_.first_query,
            scores_.queries,
            scores_.head,
            sizes_.head_width};
  }
  HeadVectors keys_of(const HeadRows& rows) const {
    return {rows,         sizes_.type,      sizes_.key_offsets[scores_.sentence], scores_.key_count,
            scores_.head, sizes_.head_width};
  }

  void run_tile(int64_t first, int64_t count) {
    scores_.begin_queries(first, count);
    begin_tile();
    const int64_t keys =
        sizes_.causal ? std::min(scores_.key_count, first + count) : scores_.key_count;
    for (int64_t j = 0; j < keys; j += kTileKeys) run_keys(j, std::min(kTileKeys, keys - j));
    if (keys > 0) finish_relative_vectors();
    write_rows(grad_queries_.get(), scores_.content_width, scores_.scale,
               queries_of(call_.grad_queries));
    if (layout_.of<&Tables::query_features>())
      add_features(layout_.of<&Tables::query_features>(), grad_queries_.get(), first, count);
  }

  void begin_tile() {
    const int64_t width = scores_.value_width;
    read_rows(queries_of(call_.grad_output), 1.0f, grad_output_.get(), width);
    std::fill(corrections_, corrections_ + kTileQueries, 0.0f);
    add_corrections(call_.forward.output);
    if (call_.forward.output_rest.data) add_corrections(call_.forward.output_rest);
    const int64_t token = sizes_.query_offsets[scores_.sentence] + scores_.first_query;
    const int64_t tokens = sizes_.query_offsets[sizes_.sentences];
    const float* log_normalizers = call_.forward.log_normalizer + scores_.head * tokens + token;
    for (int64_t r = 0; r < scores_.queries; ++r)
      log_normalizers_[r] = log_normalizers[r] - scores_.left_out(r);
    grad_queries_.clear();
    if (tables_.relative_keys) query_sums_.clear(scores_.queries * scores_.query_band.row_size());
    if (relative_values_) begin_relative_values();
  }

  /// D += output . dO of every row; grad_queries_ is free for it.
  void add_corrections(const HeadRows& output) {
    const int64_t width = scores_.value_width;
    read_rows(queries_of(output), 1.0f, grad_queries_.get(), width);
    for (int64_t r = 0; r < scores_.queries; ++r) {
      Vector sum{};
      for (int64_t c = 0; c < width; c += kLanes)
        sum += load(grad_output_.get() + r * width + c) * load(grad_queries_.get() + r * width + c);
      corrections_[r] += sum_of(sum);
    }
  }

  void begin_relative_values() {
    const auto band_of = scores_.query_bands(relative_values_.clip);
    value_band_ = band_of(0, scores_.queries);
    relative_values_.multiply(scores_.queries, {grad_output_.get(), scores_.value_width},
                              scores_.head, value_band_, band_of, value_products_.get() + kLanes);
    value_sums_.clear(scores_.queries * value_band_.row_size());
  }

  void run_keys(int64_t first, int64_t count) {
    scores_.compute(first, count, probability_row(0));
    scores_.for_strips(first, count, [&](int64_t row, int64_t rows, int64_t columns) {
      product(rows, padded(columns), sizes_.head_width,
              {grad_output_.get() + row * scores_.value_width, scores_.value_width},
              transposed_values_.get() + first, scores_.key_stride, gradient_row(row), kTileStride,
              false);
    });
    for (int64_t r = 0; r < scores_.queries; ++r) differentiate(r, first, count);
    scores_.for_strips(first, count, [&](int64_t row, int64_t rows, int64_t columns) {
      add_products(row, rows, first, columns);
    });
    add_table_gradients(first, count);
  }

  /// A row of scores and of dO V^T become probabilities after dropout and dS, zeros where hidden.
  void differentiate(int64_t row, int64_t first, int64_t count) {
    const int64_t columns = scores_.visible(row, first, count);
    const int64_t offset = first - scores_.first_query - row;
    float* scores = probability_row(row);
    float* gradients = gradient_row(row);
    if (relative_values_)
      add_entries(value_products_.get() + kLanes + row * value_band_.row_size(), value_band_,
                  offset, columns, gradients);
    const float log_normalizer = log_normalizers_[row];
    const float correction = corrections_[row];
    const uint32_t start = dropout_start(scores_, row);
    int64_t c = 0;
    for (; c < columns; c += kLanes) {
      Vector p = exponential(load(scores + c) - log_normalizer);
      Vector grad = load(gradients + c);
      if (c + kLanes > columns) {  // hidden keys: may be NaN
        p = first_lanes(p, columns - c, 0.0f);
        grad = first_lanes(grad, columns - c, 0.0f);
      }
      Vector dropped = p;
      if (sizes_.dropout > 0.0) {
        const Vector factors = dropout_.factors_of_row(start, static_cast<uint32_t>(first + c));
        dropped *= factors;
        grad *= factors;
      }
      store(scores + c, dropped);
      store(gradients + c, p * (grad - correction));
    }
    for (; c < padded(count) + 2 * kLanes; c += kLanes) {
      if (c < padded(count)) store(scores + c, Vector{});
      store(gradients + c, Vector{});
    }
    if (relative_values_)
      sum_entries(scores, value_band_, offset, columns,
                  value_sums_.get() + kLanes + row * value_band_.row_size());
  }

  void add_products(int64_t row, int64_t rows, int64_t first, int64_t columns) {
    const int64_t content = scores_.content_width;
    const int64_t width = scores_.value_width;
    product(columns, width, rows, {probability_row(row), 1, kTileStride},
            grad_output_.get() + row * width, width, grad_values_.get() + first * width, width,
            true);
    product(rows, content, columns, {gradient_row(row), kTileStride},
            scores_.key_rows.get() + first * content, content, grad_queries_.get() + row * content,
            content, true);
    product(columns, content, rows, {gradient_row(row), 1, kTileStride},
            scores_.query_rows.get() + row * content, content, grad_keys_.get() + first * content,
            content, true);
  }

  void add_table_gradients(int64_t first, int64_t count) {
    if (layout_.of<&Tables::offset_bias>())
      sum_diagonals(gradient_row(0), scores_.queries, count, tables_.offset_bias.band,
                    first - scores_.first_query, sums(layout_.of<&Tables::offset_bias>()) + kLanes);
    if (layout_.of<&Tables::position_bias>())
      add_rows(gradient_row(0), kTileStride, scores_.queries, count,
               sums(layout_.of<&Tables::position_bias>()) + scores_.first_query * sizes_.max_keys +
                   first,
               sizes_.max_keys);
    if (layout_.of<&Tables::segment_bias>()) add_segment_gradients(first, count);
    if (tables_.relative_keys) {
      for (int64_t r = 0; r < scores_.queries; ++r)
        sum_entries(gradient_row(r), scores_.query_band, first - scores_.first_query - r,
                    scores_.visible(r, first, count),
                    query_sums_.get() + kLanes + r * scores_.query_band.row_size());
    }
    if (tables_.relative_queries) add_relative_query_gradients(first, count);
  }

  void add_segment_gradients(int64_t first, int64_t count) {
    const int64_t kinds = call_.forward.terms.segment_kinds;
    const int64_t* segments = call_.forward.terms.segments + sizes_.query_offsets[scores_.sentence];
    for (int64_t r = 0; r < scores_.queries; ++r) {
      float* row =
          sums(layout_.of<&Tables::segment_bias>()) + segments[scores_.first_query + r] * kinds;
      for (int64_t c = 0; c < count; ++c) row[segments[first + c]] += gradient_row(r)[c];
    }
  }

  void add_relative_query_gradients(int64_t first, int64_t count) {
    const Band& band = scores_.key_band;
    const RelativeVectors& vectors = tables_.relative_queries;
    for_transposed(gradient_row(0), kTileStride, scores_.queries, count,
                   [&](int64_t c, int64_t r, Vector x) {
                     store(by_key_.get() + c * kTileQueries + r, x * scores_.scale);
                   });
    const int64_t stride = band.row_size();
    key_sums_.clear(count * stride);
    float* by_offset = key_sums_.get() + kLanes;
    for (int64_t c = 0; c < count; ++c) {
      sum_entries(by_key_.get() + c * kTileQueries, band, scores_.first_query - first - c,
                  scores_.queries, by_offset + c * stride);
      fold_ends(by_offset + c * stride, band.width);
    }
    const int64_t content = scores_.content_width;
    vectors.add_weighted(count, by_offset, scores_.head, band,
                         scores_.key_bands(vectors.clip, first), grad_keys_.get() + first * content,
                         content);
    if (!layout_.of<&Tables::relative_queries>()) return;
    product(band.width, vectors.width, count, {by_offset, 1, stride},
            scores_.key_rows.get() + first * content, content,
            sums(layout_.of<&Tables::relative_queries>()) +
                (band.lowest - vectors.band.lowest) * vectors.width,
            vectors.width, true);
  }

  void finish_relative_vectors() {
    const int64_t rows = scores_.queries;
    if (const RelativeVectors& vectors = tables_.relative_keys) {
      const Band& band = scores_.query_band;
      const int64_t stride = band.row_size();
      float* by_offset = query_sums_.get() + kLanes;
      for (int64_t r = 0; r < rows; ++r) fold_ends(by_offset + r * stride, band.width);
      vectors.add_weighted(rows, by_offset, scores_.head, band, scores_.query_bands(vectors.clip),
                           grad_queries_.get(), scores_.content_width);
      if (layout_.of<&Tables::relative_keys>())
        product(band.width, vectors.width, rows, {by_offset, 1, stride}, scores_.query_rows.get(),
                scores_.content_width,
                sums(layout_.of<&Tables::relative_keys>()) +
                    (band.lowest - vectors.band.lowest) * vectors.width,
                vectors.width, true);
    }
    if (relative_values_ && layout_.of<&Tables::relative_values>()) {
      const int64_t stride = value_band_.row_size();
      float* by_offset = value_sums_.get() + kLanes;
      for (int64_t r = 0; r < rows; ++r) fold_ends(by_offset + r * stride, value_band_.width);
      product(value_band_.width, scores_.value_width, rows, {by_offset, 1, stride},
              grad_output_.get(), scores_.value_width,
              sums(layout_.of<&Tables::relative_values>()) +
                  (value_band_.lowest - relative_values_.band.lowest) * scores_.value_width,
              scores_.value_width, true);
    }
  }

  /// The gradients of features follow those of the content in each row.
  void add_features(const GradientLayout::Place& place, const float* rows, int64_t first,
                    int64_t count) {
    const int64_t rank = call_.forward.terms.rank;
    add_rows(rows + sizes_.head_width, scores_.content_width, count, rank,
             sums(place) + first * rank, rank);
  }

  const AttentionBackward& call_;
  const AttentionSizes& sizes_;
  const HeadTables& tables_;
  const GradientLayout& layout_;
  Scores scores_;
  const RelativeVectors& relative_values_;
  Band value_band_;
  DropoutLanes dropout_;
  float* block_ = nullptr;
  Buffer probabilities_;                 // tile
  Buffer gradients_;                     // tile, zeros around it
  Buffer values_;                        // [S, value_width]
  Buffer transposed_values_;             // [value_width, key_stride]
  Buffer grad_output_;                   // [kTileQueries, value_width]
  Buffer grad_queries_;                  // [kTileQueries, content_width], of scale * q
  Buffer grad_keys_;                     // [S, content_width]
  Buffer grad_values_;                   // [S, value_width]
  Buffer query_sums_;                    // [kTileQueries, ..]: dS summed by offset, ends repeated
  Buffer by_key_;                        // [kTileKeys, kTileQueries]: dS transposed, of scale * k
  Buffer key_sums_;                      // [kTileKeys, ..]: that summed by offset, ends repeated
  Buffer value_products_;                // [kTileQueries, ..]: dO . relative_values, ends repeated
  Buffer value_sums_;                    // [kTileQueries, ..]: probabilities summed by offset
  float log_normalizers_[kTileQueries];  // of the computed scores
  float corrections_[kTileQueries];
};

}  // namespace

static void attention_backward(const AttentionBackward& call) {
  const AttentionSizes& sizes = call.forward.sizes;
  const GradientLayout layout(call);
  const HeadTables tables(call.forward);
  const int64_t parts = parts_of_batch({.sentences = sizes.sentences,
                                        .heads = sizes.heads,
                                        .head_width = sizes.head_width,
                                        .queries = sizes.query_offsets[sizes.sentences],
                                        .block = layout.size()});
  const int64_t items = parts * sizes.heads;
  Buffer blocks(items * layout.size());
  ThreadWork<BackwardHead> passes(call, tables, layout);
#pragma omp parallel
  {
    const SubnormalsAsZeros zeros;
    BackwardHead& pass = passes.own();
    pass.begin();
#pragma omp for schedule(dynamic, 1)
    for (int64_t item = 0; item < items; ++item) {
      const int64_t part = item / sizes.heads;
      float* block = blocks.get() + item * layout.size();
      std::fill_n(block, layout.size(), 0.0f);
      const int64_t end = sizes.sentences * (part + 1) / parts;
      for (int64_t b = sizes.sentences * part / parts; b < end; ++b)
        pass.run(item % sizes.heads, b, block);
    }
#pragma omp for schedule(static)
    for (int64_t slice = 0; slice < layout.slices(); ++slice)
      for (int64_t item = 0; item < items; ++item)
        layout.add_block(call, item % sizes.heads, blocks.get() + item * layout.size(), slice);
  }
}

extern const AttentionKernels kAttentionKernels = {DIETMT_ISA_NAME, attention_forward,
                                                   attention_backward};

}  // namespace dietmt::kernels::DIETMT_ISA
