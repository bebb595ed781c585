// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include <cmath>
#include <limits>
#include <memory>

#include "kernels/cpu/attention/attention_parts.h"
#include "kernels/cpu/attention/scores.h"
#include "kernels/cpu/subnormals.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

/// One tile of queries on its way over the keys: sums of exp(score - maximum), unnormalised.
class ForwardTile {
 public:
  ForwardTile(const AttentionForward& call, const HeadTables& tables)
      : call_(call),
        scores_(call, tables),
        relative_values_(tables.relative_values),
        dropout_(dropout_lanes(call.sizes.dropout, call.sizes.dropout_key)),
        tile_(kTileSize),
        values_(padded(call.sizes.max_keys) * scores_.value_width),
        output_(kTileQueries * scores_.value_width),
        by_offset_(relative_values_ ? kTileQueries * relative_values_.band.row_size() : 0) {}

  void begin_sentence(int64_t head, int64_t sentence) {
    scores_.begin_sentence(head, sentence);
    const HeadVectors values{call_.values,      call_.sizes.type, call_.sizes.key_offsets[sentence],
                             scores_.key_count, scores_.head,     call_.sizes.head_width};
    read_rows(values, 1.0f, values_.get(), scores_.value_width);
  }

  void run(int64_t first, int64_t count) {
    scores_.begin_queries(first, count);
    begin_sums();
    const int64_t keys =
        call_.sizes.causal ? std::min(scores_.key_count, first + count) : scores_.key_count;
    for (int64_t j = 0; j < keys; j += kTileKeys) add_keys(j, std::min(kTileKeys, keys - j));
    finish();
  }

 private:
  float* tile_row(int64_t row) { return tile_.get() + kLanes + row * kTileStride; }
  float* output_row(int64_t row) { return output_.get() + row * scores_.value_width; }
  float* offset_row(int64_t row) { return by_offset_.get() + row * value_band_.row_size(); }

  void begin_sums() {
    output_.clear();
    std::fill(maxima_, maxima_ + kTileQueries, -std::numeric_limits<float>::infinity());
    std::fill(totals_, totals_ + kTileQueries, 0.0f);
    if (!relative_values_) return;
    value_band_ = scores_.query_bands(relative_values_.clip)(0, scores_.queries);
    by_offset_.clear(scores_.queries * value_band_.row_size());
  }

  void add_keys(int64_t first, int64_t count) {
    scores_.compute(first, count, tile_row(0));
    scores_.for_strips(first, count, [&](int64_t row, int64_t rows, int64_t columns) {
      for (int64_t r = row; r < row + rows; ++r) exponentiate(r, first, count, columns);
      product(rows, scores_.value_width, columns, {tile_row(row), kTileStride},
              values_.get() + first * scores_.value_width, scores_.value_width, output_row(row),
              scores_.value_width, first > 0);
    });
  }

  /// Scores of a row become exp(score - maximum), zeros where hidden; earlier sums follow the new
  /// maximum.
  void exponentiate(int64_t row, int64_t first, int64_t count, int64_t strip_columns) {
    float* scores = tile_row(row);
    const int64_t columns = scores_.visible(row, first, count);
    const int64_t whole = columns / kLanes * kLanes;
    constexpr float kHidden = -std::numeric_limits<float>::infinity();
    Vector largest = broadcast(maxima_[row]);
    for (int64_t c = 0; c < whole; c += kLanes) largest = larger(load(scores + c), largest);
    if (whole < columns)
      largest = larger(first_lanes(load(scores + whole), columns - whole, kHidden), largest);
    const float maximum = largest_of(largest);
    if (first > 0 && maximum > maxima_[row]) rescale(row, std::exp(maxima_[row] - maximum));
    maxima_[row] = maximum;

    const uint32_t start = dropout_start(scores_, row);
    Vector total{};
    for (int64_t c = 0; c < padded(strip_columns); c += kLanes) {
      Vector p{};
      if (c < columns) {
        p = exponential(load(scores + c) - maximum);
        if (c >= whole) p = first_lanes(p, columns - c, 0.0f);
        total += p;
        if (call_.sizes.dropout > 0.0)
          p *= dropout_.factors_of_row(start, static_cast<uint32_t>(first + c));
      }
      store(scores + c, p);
    }
    totals_[row] += sum_of(total);
    if (relative_values_)
      sum_entries(scores, value_band_, first - scores_.first_query - row, columns,
                  offset_row(row) + kLanes);
  }

  void rescale(int64_t row, float factor) {
    totals_[row] *= factor;
    float* output = output_row(row);
    for (int64_t c = 0; c < scores_.value_width; c += kLanes)
      store(output + c, load(output + c) * factor);
    if (!relative_values_) return;
    float* sums = offset_row(row);
    for (int64_t c = 0; c < value_band_.row_size(); c += kLanes)
      store(sums + c, load(sums + c) * factor);
  }

  void finish() {
    const int64_t rows = scores_.queries;
    if (relative_values_ && scores_.key_count > 0) {
      for (int64_t r = 0; r < rows; ++r) fold_ends(offset_row(r) + kLanes, value_band_.width);
      relative_values_.add_weighted(rows, offset_row(0) + kLanes, scores_.head, value_band_,
                                    scores_.query_bands(relative_values_.clip), output_.get(),
                                    scores_.value_width);
    }
    const int64_t token = call_.sizes.query_offsets[scores_.sentence] + scores_.first_query;
    const int64_t tokens = call_.sizes.query_offsets[call_.sizes.sentences];
    for (int64_t r = 0; r < rows; ++r) {
      HeadVectors to{call_.output, call_.sizes.type,      token + r, 1,
                     scores_.head, call_.sizes.head_width};
      const float factor = totals_[r] == 0.0f ? 0.0f : 1.0f / totals_[r];
      write_rows(output_row(r), 0, factor, to);
      to.rows = call_.output_rest;
      if (to.rows.data) write_rest(output_row(r), 0, factor, to);
      if (call_.log_normalizer)
        call_.log_normalizer[scores_.head * tokens + token + r] = log_sum(r);
    }
  }

  /// log sum_j exp(score) of a row.
  float log_sum(int64_t row) const {
    if (totals_[row] == 0.0f) return std::numeric_limits<float>::infinity();
    return maxima_[row] + std::log(totals_[row]) + scores_.left_out(row);
  }

  const AttentionForward& call_;
  Scores scores_;
  const RelativeVectors& relative_values_;
  Band value_band_;
  DropoutLanes dropout_;
  Buffer tile_;       // [kTileQueries, kTileStride]
  Buffer values_;     // [S, value_width]
  Buffer output_;     // [kTileQueries, value_width]
  Buffer by_offset_;  // [kTileQueries, ..]: probabilities summed by offset, ends repeated
  float maxima_[kTileQueries];
  float totals_[kTileQueries];
};

/// Some tiles of one sentence: the unit of parallel work within a head.
struct Part {
  int64_t sentence;
  int64_t first_query;
};
constexpr int64_t kPartQueries = 8 * kTileQueries;

}  // namespace

void attention_forward(const AttentionForward& call) {
  const AttentionSizes& sizes = call.sizes;
  int64_t parts = 0;
  const auto for_parts = [&](auto f) {
    for (int64_t b = 0; b < sizes.sentences; ++b)
      for (int64_t i = sizes.query_offsets[b]; i < sizes.query_offsets[b + 1]; i += kPartQueries)
        f(Part{b, i - sizes.query_offsets[b]});
  };
  for_parts([&](const Part&) { ++parts; });
  const std::unique_ptr<Part[]> list(new Part[static_cast<size_t>(parts)]);
  for_parts([&, next = list.get()](const Part& part) mutable { *next++ = part; });

  // Heads of a sentence follow each other: their vectors lie side by side in memory.
  const HeadTables tables(call);
  ThreadWork<ForwardTile> tiles(call, tables);
#pragma omp parallel
  {
    const SubnormalsAsZeros zeros;
    ForwardTile& tile = tiles.own();
#pragma omp for schedule(dynamic, 4)
    for (int64_t item = 0; item < parts * sizes.heads; ++item) {
      const Part part = list[static_cast<size_t>(item / sizes.heads)];
      tile.begin_sentence(item % sizes.heads, part.sentence);
      const int64_t all =
          sizes.query_offsets[part.sentence + 1] - sizes.query_offsets[part.sentence];
      const int64_t end = std::min(all, part.first_query + kPartQueries);
      for (int64_t i = part.first_query; i < end; i += kTileQueries)
        tile.run(i, std::min(kTileQueries, end - i));
    }
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
