// Attention of a decoding step compared with plain loops in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/kernels/cuda/step_runner.h"

namespace dietmt::kernels {
namespace {

struct StepCase {
  int64_t width = 64;
  int64_t rows_per_group = 1;
  bool terms = false;
  bool new_keys = false;
};

constexpr int64_t kGroups = 3, kHeads = 2, kSlots = 60, kLength = 24, kClip = 4, kRank = 11;

/// One call and its expected output.
class StepAttentionCase {
 public:
  StepAttentionCase(ElementType type, const StepCase& options)
      : type_(type), options_(options), slots_(all_slots()) {}

  DeviceStepAttention call() const {
    DeviceStepAttention call;
    call.type = type_;
    call.groups = kGroups;
    call.rows_per_group = options_.rows_per_group;
    call.heads = kHeads;
    call.head_width = options_.width;
    call.queries = {queries_.data(), vector_};
    call.keys = {keys_.data(), vector_};
    call.values = {values_.data(), vector_};
    if (options_.new_keys) {
      call.new_keys = {new_keys_.data(), vector_};
      call.new_values = {new_values_.data(), vector_};
    }
    call.slots = shared_copy(slots_);
    call.slot_stride = kLength;
    call.counts = shared_copy(counts_);
    call.positions = shared_copy(positions_);
    call.terms.content_scale = scales_;
    if (options_.terms) set_terms(call);
    call.output = {output_.data(), vector_};
    return call;
  }

  void expect_output(double tolerance) const {
    for (int64_t r = 0; r < rows_; ++r)
      for (int64_t h = 0; h < kHeads; ++h) expect_row(r, h, tolerance);
  }

  void expect_kept_keys() const {
    for (int64_t g = 0; g < kGroups; ++g) {
      const int64_t slot = slots_[at(g * kLength + counts_[at(g)] - 1)];
      for (int64_t d = 0; d < vector_; ++d) {
        EXPECT_EQ(keys_.at(slot * vector_ + d), new_keys_.at(g * vector_ + d));
        EXPECT_EQ(values_.at(slot * vector_ + d), new_values_.at(g * vector_ + d));
      }
    }
  }

  std::vector<double> output() const { return output_.values(); }

 private:
  static size_t at(int64_t i) { return static_cast<size_t>(i); }

  std::vector<int32_t> all_slots() const {
    std::vector<int32_t> slots;
    for (int64_t g = 0; g < kGroups; ++g)
      for (int64_t j = 0; j < kLength; ++j) slots.push_back(slot_of(g, j));
    return slots;
  }

  // Groups share the slots of their first tokens, as hypotheses do; the last token's is separate.
  int32_t slot_of(int64_t group, int64_t key) const {
    if (key == counts_[at(group)] - 1) return static_cast<int32_t>(53 + group);
    return static_cast<int32_t>(key < 3 ? 50 + key : (key * 7 + group * 17) % 50);
  }

  void set_terms(DeviceStepAttention& call) const {
    const int64_t table = (2 * kClip + 1) * options_.width;
    AttentionTables& tables = call.terms.tables;
    tables.position_bias = {bias_.floats(), kLength * kLength};
    tables.query_features = {query_features_.floats(), 0};
    tables.key_features = {key_features_.floats(), kLength * kRank};
    tables.offset_bias = {offset_bias_.floats(), 2 * kClip + 1};
    tables.relative_keys = {relative_.floats(), table};
    tables.relative_queries = {relative_.floats() + kHeads * table, table};
    tables.relative_values = {relative_.floats() + 2 * kHeads * table, table};
    call.terms.rank = kRank;
    call.terms.bias_clip = call.terms.key_clip = kClip;
    call.terms.query_clip = call.terms.value_clip = kClip;
    call.bias_keys = kLength;
  }

  double key(int64_t group, int64_t j, int64_t element, bool of_values) const {
    if (options_.new_keys && j == counts_[at(group)] - 1)
      return (of_values ? new_values_ : new_keys_).at(group * vector_ + element);
    const int64_t slot = slots_[at(group * kLength + j)];
    return (of_values ? values_ : keys_).at(slot * vector_ + element);
  }

  double relative(int64_t which, int64_t h, int64_t offset, int64_t d) const {
    if (!options_.terms) return 0.0;
    return relative_.at(((which * kHeads + h) * (2 * kClip + 1) + offset) * options_.width + d);
  }

  void expect_row(int64_t r, int64_t h, double tolerance) const {
    const int64_t width = options_.width, group = r / options_.rows_per_group;
    const int64_t i = positions_[at(group)], count = counts_[at(group)];
    std::vector<double> weights;
    double sum = 0.0;
    std::vector<double> wanted(static_cast<size_t>(width));
    for (int64_t j = 0; j < count; ++j) {
      const int64_t offset = std::clamp(j - i, -kClip, kClip) + kClip;
      double score = 0.0;
      for (int64_t d = 0; d < width; ++d) {
        const double q = queries_.at(r * vector_ + h * width + d);
        const double k = key(group, j, h * width + d, false);
        score += q * (k + relative(0, h, offset, d)) + k * relative(1, h, offset, d);
      }
      score *= scales_[h];
      if (options_.terms) {
        score += bias_.at((h * kLength + i) * kLength + j) +
                 offset_bias_.at(h * (2 * kClip + 1) + offset);
        for (int64_t f = 0; f < kRank; ++f)
          score +=
              query_features_.at(i * kRank + f) * key_features_.at((h * kLength + j) * kRank + f);
      }
      const double weight = std::exp(score);
      sum += weight;
      for (int64_t d = 0; d < width; ++d)
        wanted[at(d)] += weight * (key(group, j, h * width + d, true) + relative(2, h, offset, d));
    }
    for (int64_t d = 0; d < width; ++d)
      ASSERT_NEAR(output_.at(r * vector_ + h * width + d), wanted[at(d)] / sum, tolerance)
          << "row " << r << " head " << h << " number " << d;
  }

  RowTensor random(int64_t count, uint64_t seed) const {
    return RowTensor::random(type_, count, seed);
  }

  static RowTensor random_table(int64_t count, uint64_t seed) {
    return RowTensor::random(ElementType::kFloat, count, seed);
  }

  ElementType type_;
  StepCase options_;
  int64_t vector_ = kHeads * options_.width;
  int64_t rows_ = kGroups * options_.rows_per_group;
  RowTensor queries_ = random(rows_ * vector_, 1);
  RowTensor keys_ = random(kSlots * vector_, 2);
  RowTensor values_ = random(kSlots * vector_, 3);
  RowTensor new_keys_ = random(kGroups * vector_, 4);
  RowTensor new_values_ = random(kGroups * vector_, 5);
  RowTensor output_{type_, rows_* vector_};
  RowTensor bias_ = random_table(kHeads * kLength * kLength, 6);
  RowTensor query_features_ = random_table(kLength * kRank, 7);
  RowTensor key_features_ = random_table(kHeads * kLength * kRank, 8);
  RowTensor offset_bias_ = random_table(kHeads * (2 * kClip + 1), 9);
  RowTensor relative_ = random_table(3 * kHeads * (2 * kClip + 1) * options_.width, 10);
  std::vector<int64_t> counts_ = {kLength, 1, 14};
  std::vector<int64_t> positions_ = {kLength - 1, 0, 13};
  std::vector<int32_t> slots_;
  float scales_[kHeads] = {0.3F, 0.2F};
};

void expect_step(ElementType type, const StepCase& options, double tolerance) {
  const StepAttentionCase in_order(type, options), shuffled(type, options);
  run_step_here(in_order.call(), 0);
  in_order.expect_output(tolerance);
  if (options.new_keys) in_order.expect_kept_keys();
  run_step_here(shuffled.call(), 3);
  EXPECT_EQ(in_order.output(), shuffled.output());
}

using StepAttentionOf = StepTest<testing::TestWithParam<StepCase>>;

TEST_P(StepAttentionOf, EqualsPlainLoops) {
  expect_step(ElementType::kFloat, GetParam(), kStepTolerance);
  expect_step(ElementType::kBFloat16, GetParam(), 5e-3);
  expect_step(ElementType::kHalf, GetParam(), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, StepAttentionOf,
    testing::Values(StepCase{}, StepCase{.terms = true}, StepCase{.terms = true, .new_keys = true},
                    StepCase{.rows_per_group = 5}, StepCase{.rows_per_group = 7, .terms = true},
                    StepCase{.width = 8, .terms = true, .new_keys = true},
                    StepCase{.width = 96, .rows_per_group = 2, .terms = true},
                    StepCase{.width = 128, .new_keys = true}, StepCase{.width = 256, .terms = true},
                    StepCase{.width = 256, .rows_per_group = 5},
                    StepCase{.width = 24, .rows_per_group = 6, .terms = true}));

}  // namespace
}  // namespace dietmt::kernels
