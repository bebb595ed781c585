// Attention of one head in a step: the queries of a sentence's hypotheses, which are all at one
// position, with the score terms of kernels/attention.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/attention/offset_table.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/step/step_dots.h"
#include "kernels/step_attention.h"

namespace dietmt::kernels::DIETMT_ISA {

inline const float* head_of(const HeadTable& table, int64_t head) {
  return table.data + head * table.head_stride;
}

inline int64_t score_stride(int64_t keys) { return padded_head(keys) + kHeadLanes; }

/// Space for the entries of a table that occur, with repeated ends, or for all contextual vectors.
inline int64_t entry_stride(const StepAttention& call) {
  const int64_t by_offset = padded_head(call.keys) + 3 * kHeadLanes;
  return std::max(by_offset, padded_head(call.terms->contextual_positions) + kHeadLanes);
}

/// One head of all hypotheses. Number: of keys and values.
template <typename Number>
class StepHead {
 public:
  StepHead(const StepAttention& call, int64_t head, float* workspace)
      : call_(call),
        terms_(call.terms->terms),
        head_(head),
        key_head_(head / call.heads_per_key),
        scale_(terms_.content_scale[head]),
        width_(padded_head(call.head_width)),
        stride_(score_stride(call.keys)),
        queries_(workspace),
        scores_(queries_ + call.hypotheses * width_),
        bias_(scores_ + call.hypotheses * stride_),
        entries_(bias_ + stride_) {}

  /// In phases over all hypotheses, so that the others hide the latency of one.
  void run() {
    const bool memory = call_.slots == nullptr;
    const bool biased = compute_bias();
    read_queries();
    if (memory)
      product(call_.hypotheses, padded(call_.keys), call_.head_width, {queries_, width_},
              static_cast<const Number*>(call_.key_columns) +
                  key_head_ * call_.head_width * call_.key_stride,
              call_.key_stride, scores_, stride_, false);
    else
      for (int64_t r = 0; r < call_.hypotheses; ++r) score_slots(r);
    if (biased)
      for (int64_t r = 0; r < call_.hypotheses; ++r) add_bias(scores(r));
    exponentiate_all();
    if (memory)
      product(call_.hypotheses, width_, call_.keys, {scores_, stride_},
              static_cast<const Number*>(call_.value_rows) + key_head_ * width_, call_.row_stride,
              queries_, width_, false);
    else
      for (int64_t r = 0; r < call_.hypotheses; ++r) mix_slots(r);
    for (int64_t r = 0; r < call_.hypotheses; ++r) write(r);
  }

 private:
  float* query(int64_t hypothesis) { return queries_ + hypothesis * width_; }
  float* scores(int64_t hypothesis) { return scores_ + hypothesis * stride_; }
  /// The sum of the weights, stored after them.
  float& total(int64_t hypothesis) { return scores(hypothesis)[stride_ - 1]; }

  void score_slots(int64_t hypothesis) {
    const float* q = query(hypothesis);
    float* to = scores(hypothesis);
    const auto key = [&](int64_t j) { return slot_row(call_.key_rows, hypothesis, j); };
    dot_rows(q, width_, key, call_.keys, to);
    if (call_.terms->contextual.data) add_contextual(q, to);
    if (terms_.tables.relative_keys.data) add_relative_keys(q, to);
    if (terms_.tables.relative_queries.data) add_relative_queries(hypothesis, to);
  }

  const Number* slot_row(const void* rows, int64_t hypothesis, int64_t key) const {
    const int64_t slot = call_.slots[hypothesis * call_.slots_stride + key];
    return static_cast<const Number*>(rows) + slot * call_.row_stride + key_head_ * width_;
  }

  void read_queries() {
    for (int64_t r = 0; r < call_.hypotheses; ++r) {
      const float* from = call_.queries + r * call_.query_stride + head_ * call_.head_width;
      float* to = queries_ + r * width_;
      for (int64_t d = 0; d < call_.head_width; ++d) to[d] = from[d] * scale_;
      for (int64_t d = call_.head_width; d < width_; ++d) to[d] = 0.0f;
    }
  }

  /// The terms that depend only on positions, the same for all queries. False: there are none.
  bool compute_bias() {
    const AttentionTables& tables = terms_.tables;
    if (!tables.position_bias.data && !tables.query_features.data && !tables.offset_bias.data)
      return false;
    const int64_t i = call_.position;
    std::fill(bias_, bias_ + stride_, 0.0f);
    if (tables.position_bias.data) {
      const float* row = head_of(tables.position_bias, head_) + i * call_.terms->bias_keys;
      for (int64_t j = 0; j < call_.keys; ++j) bias_[j] += row[j];
    }
    if (tables.query_features.data) {
      const float* query = head_of(tables.query_features, head_) + i * terms_.rank;
      const float* key = head_of(tables.key_features, head_);
      for (int64_t j = 0; j < call_.keys; ++j, key += terms_.rank)
        for (int64_t f = 0; f < terms_.rank; ++f) bias_[j] += query[f] * key[f];
    }
    if (tables.offset_bias.data) {
      const int64_t clip = terms_.bias_clip;
      const float* row = head_of(tables.offset_bias, head_) + clip;
      for (int64_t j = 0; j < call_.keys; ++j) bias_[j] += row[std::clamp(j - i, -clip, clip)];
    }
    return true;
  }

  void add_bias(float* scores) const {
    for (int64_t j = 0; j < call_.keys; j += kLanes) add_to(scores + j, load(bias_ + j));
  }

  Band band(int64_t clip) const { return Band::of(clip, call_.position, 1, 0, call_.keys); }

  void add_relative_keys(const float* q, float* scores) {
    const int64_t clip = terms_.key_clip;
    const Band needed = band(clip);
    const float* first =
        head_of(terms_.tables.relative_keys, head_) + (clip + needed.lowest) * width_;
    float* products = entries_ + kLanes;
    dot_rows(
        q, width_, [&](int64_t e) { return first + e * width_; }, needed.width, products);
    repeat_ends(products, needed.width);
    add_entries(products, needed, -call_.position, call_.keys, scores);
  }

  void add_relative_queries(int64_t hypothesis, float* scores) {
    const int64_t clip = terms_.query_clip;
    const float* table = head_of(terms_.tables.relative_queries, head_) + clip * width_;
    for (int64_t j = 0; j < call_.keys; ++j) {
      const float* vector = table + std::clamp(j - call_.position, -clip, clip) * width_;
      scores[j] += scale_ * dot(slot_row(call_.key_rows, hypothesis, j), vector, width_);
    }
  }

  /// The scores are those of the content only. The position of key j is the sum of the gates from j
  /// on; the product with its vector is interpolated.
  void add_contextual(const float* q, float* scores) {
    const int64_t positions = call_.terms->contextual_positions;
    const float* table = head_of(call_.terms->contextual, head_);
    dot_rows(
        q, width_, [&](int64_t p) { return table + p * width_; }, positions, entries_);
    float place = 0.0f;
    for (int64_t j = call_.keys - 1; j >= 0; --j) {
      place += 1.0f / (1.0f + std::exp(-scores[j]));
      const float clamped = std::min(place, static_cast<float>(positions - 1));
      const float below = std::floor(clamped);
      const float share = clamped - below;
      const float* entry = entries_ + static_cast<int64_t>(below);
      const float upper = share > 0.0f ? entry[1] : entry[0];
      scores[j] += (upper * share + entry[0] * (1.0f - share)) / scale_;  // the query is scaled
    }
  }

  /// Scores become exp(score - largest), padded with zeros, and their sums the totals. The few
  /// operations of a hypothesis depend on each other, so several hypotheses go side by side.
  void exponentiate_all() {
    int64_t r = 0;
    for (; r + 4 <= call_.hypotheses; r += 4) exponentiate<4>(r);
    for (; r + 2 <= call_.hypotheses; r += 2) exponentiate<2>(r);
    if (r < call_.hypotheses) exponentiate<1>(r);
  }

  template <int kRows>
  void exponentiate(int64_t first) {
    constexpr float kHidden = -std::numeric_limits<float>::infinity();
    const int64_t last = (call_.keys - 1) / kLanes * kLanes;
    const int64_t left = call_.keys - last;
    Vector tail[kRows], largest[kRows], sums[kRows];
    for (int r = 0; r < kRows; ++r)
      largest[r] = tail[r] = first_lanes(load(scores(first + r) + last), left, kHidden);
    for (int64_t j = 0; j < last; j += kLanes)
      for (int r = 0; r < kRows; ++r) largest[r] = larger(load(scores(first + r) + j), largest[r]);
    for (int r = 0; r < kRows; ++r) largest[r] = broadcast(largest_of(largest[r]));
    for (int r = 0; r < kRows; ++r) {
      sums[r] = first_lanes(exponential(tail[r] - largest[r]), left, 0.0f);
      store(scores(first + r) + last, sums[r]);
    }
    for (int64_t j = 0; j < last; j += kLanes)
      for (int r = 0; r < kRows; ++r) {
        const Vector p = exponential(load(scores(first + r) + j) - largest[r]);
        store(scores(first + r) + j, p);
        sums[r] += p;
      }
    for (int r = 0; r < kRows; ++r) total(first + r) = sum_of(sums[r]);
  }

  /// The weighted sum of the values replaces the query.
  void mix_slots(int64_t hypothesis) {
    for (int64_t c = 0; c < width_;) {
      const int64_t vectors = (width_ - c) / kLanes;
      if (vectors >= 4)
        c += mix_part<4>(hypothesis, c);
      else if (vectors >= 2)
        c += mix_part<2>(hypothesis, c);
      else
        c += mix_part<1>(hypothesis, c);
    }
    if (terms_.tables.relative_values.data) add_relative_values(hypothesis);
  }

  /// Numbers c, c + 1, ... of the sum; returns how many. Two sums, so that additions overlap.
  template <int kVectors>
  int64_t mix_part(int64_t hypothesis, int64_t c) {
    const float* weights = scores(hypothesis);
    Vector even[kVectors] = {};
    Vector odd[kVectors] = {};
    const auto add = [&](int64_t j, Vector* sums) {
      const Vector weight = broadcast(weights[j]);
      const Number* row = slot_row(call_.value_rows, hypothesis, j) + c;
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[v] += weight * load(row + v * kLanes);
    };
    int64_t j = 0;
    for (; j + 1 < call_.keys; j += 2) {
      add(j, even);
      add(j + 1, odd);
    }
    if (j < call_.keys) add(j, even);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) store(query(hypothesis) + c + v * kLanes, even[v] + odd[v]);
    return kVectors * kLanes;
  }

  void add_relative_values(int64_t hypothesis) {
    const int64_t clip = terms_.value_clip;
    const Band needed = band(clip);
    float* sums = entries_ + kLanes;
    std::fill(entries_, entries_ + needed.row_size(), 0.0f);
    sum_entries(scores(hypothesis), needed, -call_.position, call_.keys, sums);
    fold_ends(sums, needed.width);
    const float* rows =
        head_of(terms_.tables.relative_values, head_) + (clip + needed.lowest) * width_;
    product(1, width_, needed.width, {sums, 1}, rows, width_, query(hypothesis), width_, true);
  }

  /// The sum of values over the sum of weights; and the weights, if they are wanted.
  void write(int64_t hypothesis) {
    const float factor = 1.0f / total(hypothesis);
    const float* mixed = query(hypothesis);
    float* to = call_.output + hypothesis * call_.output_stride + head_ * call_.head_width;
    for (int64_t d = 0; d < call_.head_width; ++d) to[d] = mixed[d] * factor;
    if (call_.weights == nullptr) return;
    float* weights = call_.weights + hypothesis * call_.weights_stride + head_ * call_.keys;
    for (int64_t j = 0; j < call_.keys; ++j) weights[j] = scores(hypothesis)[j] * factor;
  }

  const StepAttention& call_;
  const AttentionTerms& terms_;
  const int64_t head_;
  const int64_t key_head_;  // of keys and values
  const float scale_;
  const int64_t width_;   // Dp
  const int64_t stride_;  // of scores
  float* queries_;        // [hypotheses, Dp], scaled; then the sums of values
  float* scores_;         // [hypotheses, stride]
  float* bias_;           // [stride]
  float* entries_;        // one row over a table's entries
};

}  // namespace dietmt::kernels::DIETMT_ISA
