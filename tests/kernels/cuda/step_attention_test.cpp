// Attention of a decoding step, run on the host against plain loops in double precision.
#include "kernels/cuda/step/step_attention.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/kernels/cuda/step_numbers.h"

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
template <typename E>
class StepAttentionCase {
 public:
  explicit StepAttentionCase(const StepCase& options)
      : options_(options),
        vector_(kHeads * options.width),
        rows_(kGroups * options.rows_per_group),
        queries_(static_cast<size_t>(rows_ * vector_), random_),
        keys_(static_cast<size_t>(kSlots * vector_), random_),
        values_(static_cast<size_t>(kSlots * vector_), random_),
        new_keys_(static_cast<size_t>(kGroups * vector_), random_),
        new_values_(static_cast<size_t>(kGroups * vector_), random_),
        output_(static_cast<size_t>(rows_ * vector_)),
        bias_(kHeads * kLength * kLength, random_),
        query_features_(kLength * kRank, random_),
        key_features_(kHeads * kLength * kRank, random_),
        offset_bias_(kHeads * (2 * kClip + 1), random_),
        relative_(static_cast<size_t>(3 * kHeads * (2 * kClip + 1) * options.width), random_) {
    for (int64_t g = 0; g < kGroups; ++g)
      for (int64_t j = 0; j < kLength; ++j) slots_.push_back(slot_of(g, j));
  }

  DeviceStepAttention call() {
    DeviceStepAttention call;
    call.type = type_of<E>();
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
    call.slots = slots_.data();
    call.slot_stride = kLength;
    call.counts = counts_;
    call.positions = positions_;
    call.terms.content_scale = scales_;
    if (options_.terms) set_terms(call);
    call.output = {output_.data(), vector_};
    return call;
  }

  void expect_output(double tolerance) {
    for (int64_t r = 0; r < rows_; ++r)
      for (int64_t h = 0; h < kHeads; ++h) expect_row(r, h, tolerance);
  }

  void expect_kept_keys() {
    for (int64_t g = 0; g < kGroups; ++g) {
      const int64_t slot = slots_[static_cast<size_t>(g * kLength + counts_[g] - 1)];
      for (int64_t d = 0; d < vector_; ++d) {
        EXPECT_EQ(keys_[slot * vector_ + d], new_keys_[g * vector_ + d]);
        EXPECT_EQ(values_[slot * vector_ + d], new_values_[g * vector_ + d]);
      }
    }
  }

  std::vector<double> output() const {
    std::vector<double> all;
    for (int64_t i = 0; i < rows_ * vector_; ++i) all.push_back(output_[i]);
    return all;
  }

 private:
  // Groups share the slots of their first tokens, as hypotheses do; that of the last is their own.
  int32_t slot_of(int64_t group, int64_t key) const {
    if (key == counts_[group] - 1) return static_cast<int32_t>(53 + group);
    return static_cast<int32_t>(key < 3 ? 50 + key : (key * 7 + group * 17) % 50);
  }

  void set_terms(DeviceStepAttention& call) {
    const int64_t table = (2 * kClip + 1) * options_.width;
    AttentionTables& tables = call.terms.tables;
    tables.position_bias = {bias_.data(), kLength * kLength};
    tables.query_features = {query_features_.data(), 0};
    tables.key_features = {key_features_.data(), kLength * kRank};
    tables.offset_bias = {offset_bias_.data(), 2 * kClip + 1};
    tables.relative_keys = {relative_.data(), table};
    tables.relative_queries = {relative_.data() + kHeads * table, table};
    tables.relative_values = {relative_.data() + 2 * kHeads * table, table};
    call.terms.rank = kRank;
    call.terms.bias_clip = call.terms.key_clip = kClip;
    call.terms.query_clip = call.terms.value_clip = kClip;
    call.bias_keys = kLength;
  }

  double key(int64_t group, int64_t j, int64_t element, bool of_values) const {
    if (options_.new_keys && j == counts_[group] - 1)
      return (of_values ? new_values_ : new_keys_)[group * vector_ + element];
    const int64_t slot = slots_[static_cast<size_t>(group * kLength + j)];
    return (of_values ? values_ : keys_)[slot * vector_ + element];
  }

  double relative(int64_t which, int64_t h, int64_t offset, int64_t d) const {
    if (!options_.terms) return 0.0;
    return relative_[((which * kHeads + h) * (2 * kClip + 1) + offset) * options_.width + d];
  }

  void expect_row(int64_t r, int64_t h, double tolerance) {
    const int64_t width = options_.width, group = r / options_.rows_per_group;
    const int64_t i = positions_[group], count = counts_[group];
    std::vector<double> weights;
    double sum = 0.0;
    std::vector<double> wanted(static_cast<size_t>(width));
    for (int64_t j = 0; j < count; ++j) {
      const int64_t offset = std::clamp(j - i, -kClip, kClip) + kClip;
      double score = 0.0;
      for (int64_t d = 0; d < width; ++d) {
        const double q = queries_[r * vector_ + h * width + d];
        const double k = key(group, j, h * width + d, false);
        score += q * (k + relative(0, h, offset, d)) + k * relative(1, h, offset, d);
      }
      score *= scales_[h];
      if (options_.terms) {
        score +=
            bias_[(h * kLength + i) * kLength + j] + offset_bias_[h * (2 * kClip + 1) + offset];
        for (int64_t f = 0; f < kRank; ++f)
          score += query_features_[i * kRank + f] * key_features_[(h * kLength + j) * kRank + f];
      }
      const double weight = std::exp(score);
      sum += weight;
      for (int64_t d = 0; d < width; ++d)
        wanted[static_cast<size_t>(d)] +=
            weight * (key(group, j, h * width + d, true) + relative(2, h, offset, d));
    }
    for (int64_t d = 0; d < width; ++d)
      ASSERT_NEAR(output_[r * vector_ + h * width + d], wanted[static_cast<size_t>(d)] / sum,
                  tolerance)
          << "row " << r << " head " << h << " number " << d;
  }

  StepCase options_;
  int64_t vector_, rows_;
  Random random_{7};
  Numbers<E> queries_, keys_, values_, new_keys_, new_values_, output_;
  Numbers<float> bias_, query_features_, key_features_, offset_bias_, relative_;
  std::vector<int32_t> slots_;
  int64_t counts_[kGroups] = {kLength, 1, 14};
  int64_t positions_[kGroups] = {kLength - 1, 0, 13};
  float scales_[kHeads] = {0.3F, 0.2F};
};

class StepAttentionOf : public testing::TestWithParam<StepCase> {};

template <typename E>
void expect_step(const StepCase& options, double tolerance) {
  StepAttentionCase<E> in_order(options), shuffled(options);
  StepLauncher launcher, other{{.workers = 2, .order = 3}};
  step_attention_on(launcher, in_order.call());
  in_order.expect_output(tolerance);
  if (options.new_keys) in_order.expect_kept_keys();
  step_attention_on(other, shuffled.call());
  EXPECT_EQ(in_order.output(), shuffled.output());
}

TEST_P(StepAttentionOf, EqualsPlainLoops) {
  expect_step<float>(GetParam(), 2e-6);
  expect_step<BFloat16>(GetParam(), 5e-3);
  expect_step<Half>(GetParam(), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Cases, StepAttentionOf,
                         testing::Values(StepCase{}, StepCase{.terms = true},
                                         StepCase{.terms = true, .new_keys = true},
                                         StepCase{.rows_per_group = 5},
                                         StepCase{.rows_per_group = 7, .terms = true},
                                         StepCase{.width = 8, .terms = true, .new_keys = true},
                                         StepCase{.width = 96, .rows_per_group = 2, .terms = true},
                                         StepCase{.width = 128, .new_keys = true},
                                         StepCase{.width = 256, .terms = true}));

}  // namespace
}  // namespace dietmt::kernels
