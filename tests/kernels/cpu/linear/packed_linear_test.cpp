// Each supported instruction set compared with loops in double.
#include "kernels/packed_linear.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "tests/kernels/cpu/linear/packed_layer.h"

namespace dietmt::kernels {
namespace {

double activated(double x, LinearActivation activation) {
  switch (activation) {
    case LinearActivation::kRelu:
      return std::max(x, 0.0);
    case LinearActivation::kGelu:
      return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0)));
    case LinearActivation::kSilu:
      return x / (1.0 + std::exp(-x));
    case LinearActivation::kGeluTanh:
      return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
    case LinearActivation::kNone:
      break;
  }
  return x;
}

struct Case {
  int64_t rows, outputs, inputs;
  int64_t padding = 0;  // of the strides
  bool bias = true, residual = true;
  LinearActivation activation = LinearActivation::kNone;
};

/// Buffers of a call, with kUntouched between the rows of the output.
class Problem {
 public:
  static constexpr float kUntouched = -12345.0f;

  Problem(WeightType type, const Case& c)
      : type_(type),
        case_(c),
        weights_(random_values(c.outputs * (c.inputs + c.padding), 1)),
        inputs_(random_values(c.rows * (c.inputs + c.padding), 2)),
        bias_(random_values(c.outputs, 3)),
        residual_(random_values(c.rows * (c.outputs + c.padding), 4)),
        packed_(type, c.outputs, c.inputs, weights_, c.inputs + c.padding) {}

  /// `in_place`: the residual is the output.
  Values run(const LinearKernels& level, int64_t first_row, int64_t rows, bool in_place = false) {
    const int64_t stride = case_.outputs + case_.padding;
    Values output(unsigned_of(rows * stride), kUntouched);
    if (in_place)
      std::copy_n(residual_.begin() + first_row * stride, rows * stride, output.begin());
    const Bytes storage = allocate(prepared_bytes(type_, rows, case_.inputs));
    const PreparedRows prepared = level.prepare_rows(
        type_, rows, case_.inputs, inputs_.data() + first_row * (case_.inputs + case_.padding),
        case_.inputs + case_.padding, storage.get(), 0.0f);
    LinearCall call{.weights = &packed_.layer,
                    .input = &prepared,
                    .bias = case_.bias ? bias_.data() : nullptr,
                    .activation = case_.activation,
                    .output = output.data(),
                    .output_stride = stride,
                    .first_output = first_output_,
                    .last_output = last_output_};
    if (case_.residual) {
      call.residual = in_place ? output.data() : residual_.data() + first_row * stride;
      call.residual_stride = stride;
    }
    level.linear(call);
    return output;
  }

  void set_range(int64_t first, int64_t last) {
    first_output_ = first;
    last_output_ = last;
  }

  void check(const Values& output) const {
    const int64_t stride = case_.outputs + case_.padding;
    const int64_t in_stride = case_.inputs + case_.padding;
    const int64_t last = last_output_ < 0 ? case_.outputs : last_output_;
    for (int64_t n = 0; n < stride; ++n) {
      const bool computed = first_output_ <= n && n < last;
      std::vector<double> w;
      if (computed) w = rounded_row(type_, weights_.data() + n * in_stride, case_.inputs);
      for (int64_t r = 0; r < case_.rows; ++r) {
        const float got = output[unsigned_of(r * stride + n)];
        if (!computed) {
          ASSERT_EQ(got, kUntouched) << r << ", " << n;
          continue;
        }
        const auto x = rounded_row(type_, inputs_.data() + r * in_stride, case_.inputs);
        double sum = case_.bias ? bias_[unsigned_of(n)] : 0.0;
        for (size_t k = 0; k < x.size(); ++k) sum += x[k] * w[k];
        double want = activated(sum, case_.activation);
        if (case_.residual) want += residual_[unsigned_of(r * stride + n)];
        ASSERT_NEAR(got, want, 2e-6 * std::sqrt(case_.inputs) + 1e-6) << r << ", " << n;
      }
    }
  }

  Values& inputs() { return inputs_; }
  Values& weights() { return weights_; }

 private:
  WeightType type_;
  Case case_;
  Values weights_, inputs_, bias_, residual_;
  Packed packed_;
  int64_t first_output_ = 0, last_output_ = -1;
};

class PackedLinearTest
    : public testing::TestWithParam<std::tuple<const LinearKernels*, WeightType>> {
 protected:
  void SetUp() override {
    if (!runs_here(level())) GTEST_SKIP() << "this machine has no " << level().instruction_set;
  }
  static const LinearKernels& level() { return *std::get<0>(GetParam()); }
  static WeightType type() { return std::get<1>(GetParam()); }
};

TEST_P(PackedLinearTest, EqualsTheDoubleLoop) {
  const Case cases[] = {
      {1, 64, 128},       {2, 100, 33},
      {3, 1, 1},          {4, 65, 7},
      {5, 192, 64, 3},    {6, 63, 130, 5},
      {7, 130, 66, 1},    {13, 70, 31, 2, false, false},
      {49, 128, 40, 8},   {97, 72, 6, 0, false, true},
      {1, 70, 256},       {16, 64, 128, 4},
      {17, 129, 64, 2},   {32, 64, 192},
      {33, 200, 512, 16}, {5, 96, 1030, 0, true, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.rows << " x " << c.inputs << " -> " << c.outputs);
    Problem problem(type(), c);
    problem.check(problem.run(level(), 0, c.rows));
  }
}

TEST_P(PackedLinearTest, AppliesActivations) {
  for (const auto activation : {LinearActivation::kRelu, LinearActivation::kGelu,
                                LinearActivation::kSilu, LinearActivation::kGeluTanh}) {
    SCOPED_TRACE(static_cast<int>(activation));
    Problem problem(type(), {.rows = 9, .outputs = 77, .inputs = 50, .activation = activation});
    problem.check(problem.run(level(), 0, 9));
  }
}

TEST_P(PackedLinearTest, ComputesOnlyARangeOfOutputs) {
  Problem problem(type(), {8, 200, 36, 4});
  problem.set_range(64, 128);
  problem.check(problem.run(level(), 0, 8));
  problem.set_range(128, 200);
  problem.check(problem.run(level(), 0, 8));
}

TEST_P(PackedLinearTest, AddsAResidualInPlace) {
  for (const Case& c : {Case{7, 90, 20}, Case{55, 90, 64}}) {
    Problem problem(type(), c);
    EXPECT_EQ(problem.run(level(), 0, c.rows, true), problem.run(level(), 0, c.rows));
  }
}

TEST_P(PackedLinearTest, ARowDoesNotDependOnOtherRows) {
  for (const int64_t inputs : {77, 128}) {  // the latter fills all tiles
    const Case c{
        .rows = 120, .outputs = 90, .inputs = inputs, .activation = LinearActivation::kGelu};
    Problem problem(type(), c);
    const Values all = problem.run(level(), 0, c.rows);
    for (const int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 31, 37, 70}) {
      for (int64_t first = 0; first + rows <= c.rows; first += rows) {
        const Values part = problem.run(level(), first, rows);
        ASSERT_TRUE(std::equal(part.begin(), part.end(), all.begin() + first * c.outputs))
            << rows << " rows from " << first << ", " << inputs << " inputs";
      }
    }
  }
}

TEST_P(PackedLinearTest, RowsOfZerosGiveTheBias) {
  const Case c{.rows = 3, .outputs = 64, .inputs = 16, .bias = false, .residual = false};
  Problem problem(type(), c);
  std::fill(problem.inputs().begin(), problem.inputs().end(), 0.0f);
  EXPECT_EQ(problem.run(level(), 0, 3), Values(192, 0.0f));
}

TEST_P(PackedLinearTest, WhatIsNotFiniteShowsOnlyInItsRow) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const auto& [rows, inputs] : {std::pair{7, 21}, std::pair{19, 64}}) {
      const Case c{
          .rows = rows, .outputs = 70, .inputs = inputs, .activation = LinearActivation::kRelu};
      Problem problem(type(), c);
      const Values good = problem.run(level(), 0, c.rows);
      problem.inputs()[unsigned_of(3 * c.inputs + 20)] = bad;
      const Values output = problem.run(level(), 0, c.rows);
      for (int64_t i = 0; i < c.rows * c.outputs; ++i) {
        const float x = output[unsigned_of(i)];
        if (i / c.outputs != 3) {
          ASSERT_EQ(x, good[unsigned_of(i)]);
        } else if (type() == WeightType::kInt8 || std::isnan(bad)) {
          ASSERT_TRUE(std::isnan(x)) << i;
        } else {  // infinite, or minus infinity through the rectifier
          ASSERT_TRUE(std::isinf(x) || (x >= -1.0f && x <= 1.0f)) << i;
        }
      }
    }
  }
}

TEST_P(PackedLinearTest, GatheredOutputsHaveTheSameBits) {
  for (const int64_t inputs : {37, 64}) {
    const int64_t rows = 7, all = 300;
    const Values values = random_values(rows * inputs, 8);
    const Packed packed(type(), all, inputs, random_values(all * inputs, 9), inputs);
    const Values whole = outputs_of(level(), packed.layer, rows, values);
    for (const int64_t step : {1, 3, 5, 150}) {
      std::vector<int32_t> chosen;
      for (int64_t n = all - 1; n >= 0; n -= step) chosen.push_back(static_cast<int32_t>(n));
      const auto count = static_cast<int64_t>(chosen.size());
      const Bytes panels = allocate(packed_bytes(type(), count, inputs));
      Values scales(chosen.size());
      std::vector<int32_t> sums(chosen.size());
      gather_outputs(packed.layer, chosen, panels.get(), scales.data(), sums.data());
      const Values part = outputs_of(
          level(), {type(), count, inputs, panels.get(), scales.data(), sums.data()}, rows, values);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < count; ++c)
          ASSERT_EQ(part[unsigned_of(r * count + c)],
                    whole[unsigned_of(r * all + chosen[unsigned_of(c)])])
              << r << ", " << chosen[unsigned_of(c)];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, PackedLinearTest,
                         testing::Combine(testing::ValuesIn(linear_tables()),
                                          testing::Values(WeightType::kFloat, WeightType::kBFloat16,
                                                          WeightType::kInt8)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)->instruction_set) + "_" +
                                  name_of(std::get<1>(test.param));
                         });

TEST(PackedIntegersTest, HaveTheSameBitsOnAllLevels) {
  for (const auto activation :
       {LinearActivation::kNone, LinearActivation::kGelu, LinearActivation::kSilu,
        LinearActivation::kRelu, LinearActivation::kGeluTanh}) {
    for (const int64_t inputs : {512, 514}) {
      const Case c{.rows = 23, .outputs = 150, .inputs = inputs, .activation = activation};
      Problem problem(WeightType::kInt8, c);
      const Values first = problem.run(*linear_tables()[0], 0, c.rows);
      for (const LinearKernels* level : linear_tables()) {
        if (!runs_here(*level)) continue;
        EXPECT_EQ(problem.run(*level, 0, c.rows), first)
            << level->instruction_set << ", " << inputs;
      }
    }
  }
}

TEST(PackWeightsTest, UnpackedOutputsAreTheRoundedWeights) {
  const int64_t outputs = 70, inputs = 35;
  const Values weights = random_values(outputs * inputs, 5);
  for (const auto type : {WeightType::kFloat, WeightType::kBFloat16, WeightType::kInt8}) {
    SCOPED_TRACE(name_of(type));
    const Packed packed(type, outputs, inputs, weights, inputs);
    for (int64_t n = 0; n < outputs; ++n) {
      const auto want = rounded_row(type, weights.data() + n * inputs, inputs);
      Values row(unsigned_of(inputs + 1), Problem::kUntouched);
      unpack_output(packed.layer, n, row.data());
      for (size_t k = 0; k < want.size(); ++k) ASSERT_NEAR(row[k], want[k], 1e-7) << n << ", " << k;
      ASSERT_EQ(row.back(), Problem::kUntouched);
    }
  }
}

}  // namespace
}  // namespace dietmt::kernels
