// activate and column_sums compared with the same formulas in double.
#include <algorithm>
#include <numbers>

#include "tests/kernels/cuda/rowwise/row_tensor.h"

namespace dietmt::kernels {
namespace {

using Values = std::vector<double>;

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double value_of(Activation activation, double x) {
  switch (activation) {
    case Activation::kRelu:
      return std::max(x, 0.0);
    case Activation::kGelu:
      return x * normal_cdf(x);
    case Activation::kNone:
      return x;
    default:
      return x / (1.0 + std::exp(-x));
  }
}

/// By a central difference, accurate to about 1e-9.
double slope_of(Activation activation, double x) {
  if (activation == Activation::kRelu) return x > 0.0 ? 1.0 : 0.0;
  constexpr double kStep = 1e-5;
  return (value_of(activation, x + kStep) - value_of(activation, x - kStep)) / (2.0 * kStep);
}

struct ActivateOptions {
  ElementType type = ElementType::kFloat;
  Activation activation = Activation::kNone;
  int64_t rows = 1;
  int64_t width = 64;
  double dropout = 0.0;
  bool bias = true;
  bool residual = true;

  bool gated() const { return activation == Activation::kSwiglu; }
  int64_t input_width() const { return gated() ? 2 * width : width; }
  std::string name() const {
    return name_of(type) + " activation " + std::to_string(static_cast<int>(activation)) + " " +
           std::to_string(rows) + " x " + std::to_string(width);
  }
};

struct ActivateCase {
  explicit ActivateCase(const ActivateOptions& chosen)
      : options(chosen),
        x(RowTensor::random(chosen.type, chosen.rows * chosen.input_width(), 1, 3.0)),
        bias(RowTensor::random(ElementType::kFloat, chosen.input_width(), 2)),
        residual(RowTensor::random(chosen.type, chosen.rows * chosen.width, 3)),
        grad_output(RowTensor::random(chosen.type, chosen.rows * chosen.width, 4)),
        output(chosen.type, chosen.rows * chosen.width),
        grad_x(chosen.type, chosen.rows * chosen.input_width()),
        grad_bias(ElementType::kFloat, chosen.input_width()),
        dropout(dropout_of(chosen.dropout, 99)) {}

  Activate forward() const {
    Activate call;
    call.type = options.type;
    call.activation = options.activation;
    call.rows = options.rows;
    call.width = options.width;
    call.x = x.data();
    call.bias = options.bias ? bias.floats() : nullptr;
    call.residual = options.residual ? residual.data() : nullptr;
    call.dropout = dropout;
    call.output = output.data();
    return call;
  }

  ActivateBackward backward() const {
    return {forward(), grad_output.data(), grad_x.data(), grad_bias.floats()};
  }

  double input(int64_t row, int64_t column) const {
    return x.at(row * options.input_width() + column) + (options.bias ? bias.at(column) : 0.0);
  }

  ActivateOptions options;
  RowTensor x, bias, residual, grad_output, output, grad_x, grad_bias;
  DropoutCall dropout;
};

void expect_results(const ActivateCase& activate) {
  const ActivateOptions& options = activate.options;
  const int64_t width = options.width;
  Values output;
  Values grad_x(at(activate.x.size()));
  Values grad_bias(at(options.input_width()));
  for (int64_t r = 0; r < options.rows; ++r) {
    for (int64_t c = 0; c < width; ++c) {
      const int64_t i = r * width + c;
      const double mask = mask_at(activate.dropout, i);
      const double left = activate.input(r, c);
      const double right = options.gated() ? activate.input(r, c + width) : 1.0;
      const double value = value_of(options.activation, left);
      output.push_back((options.residual ? activate.residual.at(i) : 0.0) + mask * value * right);
      const double grad = mask * activate.grad_output.at(i);
      const auto add = [&](int64_t column, double g) {
        grad_x[at(r * options.input_width() + column)] = g;
        grad_bias[at(column)] += g;
      };
      add(c, grad * right * slope_of(options.activation, left));
      if (options.gated()) add(c + width, grad * value);
    }
  }
  const double sums = 1e-6 * (10.0 + static_cast<double>(options.rows));
  activate.output.expect_near(output, 3e-6, "output " + options.name());
  activate.grad_x.expect_near(grad_x, 3e-6, "grad_x " + options.name());
  activate.grad_bias.expect_near(grad_bias, sums, "grad_bias " + options.name());
}

void check_activate(const ActivateOptions& options) {
  const ActivateCase activate(options);
  run_rows_here(activate.forward());
  run_rows_here(activate.backward());
  expect_results(activate);
}

constexpr Activation kActivations[] = {Activation::kNone, Activation::kRelu, Activation::kGelu,
                                       Activation::kSilu, Activation::kSwiglu};

class ActivateCasesTest : public testing::TestWithParam<ElementType> {
 protected:
  void SetUp() override {
    const std::string reason = reason_not_to_run();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_P(ActivateCasesTest, AllActivations) {
  for (const Activation activation : kActivations) {
    for (const double dropout : {0.0, 0.2}) {
      check_activate({.type = GetParam(),
                      .activation = activation,
                      .rows = 19,
                      .width = 72,
                      .dropout = dropout,
                      .bias = dropout > 0.0,
                      .residual = dropout == 0.0});
    }
  }
}

// One strip and several; fewer units than threads; widths that no vector divides.
TEST_P(ActivateCasesTest, AllWidths) {
  for (const int64_t width : {1, 7, 64, 100, 516, 1000, 2048, 2056, 3072, 4096, 5001}) {
    check_activate({.type = GetParam(),
                    .activation = Activation::kRelu,
                    .rows = 6,
                    .width = width,
                    .dropout = 0.1});
  }
  check_activate({.type = GetParam(), .activation = Activation::kSwiglu, .rows = 3, .width = 1028});
}

TEST_P(ActivateCasesTest, NotANumberStaysOne) {
  constexpr int64_t kRow = 2, kColumn = 9;
  for (const Activation activation : kActivations) {
    SCOPED_TRACE(static_cast<int>(activation));
    ActivateCase activate({.type = GetParam(), .activation = activation, .rows = 4, .width = 24});
    activate.x.set(kRow * activate.options.input_width() + kColumn, std::nan(""));
    run_rows_here(activate.forward());
    run_rows_here(activate.backward());
    constexpr int64_t kPlace = kRow * 24 + kColumn;
    for (int64_t i = 0; i < activate.output.size(); ++i)
      EXPECT_EQ(std::isnan(activate.output.at(i)), i == kPlace) << i;
    if (activation == Activation::kRelu) {
      EXPECT_EQ(activate.grad_x.at(kPlace), activate.grad_output.at(kPlace));
    }
  }
}

TEST_P(ActivateCasesTest, ManyRows) {
  check_activate({.type = GetParam(),
                  .activation = Activation::kGelu,
                  .rows = 3000,
                  .width = 512,
                  .dropout = 0.1});
}

TEST_P(ActivateCasesTest, TheGradientMayTakeThePlaceOfTheOutputs) {
  const ActivateOptions options{.type = GetParam(),
                                .activation = Activation::kGelu,
                                .rows = 33,
                                .width = 128,
                                .dropout = 0.1};
  const ActivateCase apart(options);
  run_rows_here(apart.backward());
  const ActivateCase inside(options);
  ActivateBackward call = inside.backward();
  call.grad_x = inside.grad_output.data();
  call.grad_bias = nullptr;
  run_rows_here(call);
  EXPECT_EQ(inside.grad_output.values(), apart.grad_x.values());
}

TEST_P(ActivateCasesTest, ColumnSums) {
  for (const int64_t width : {5, 64, 520, 3000}) {
    const int64_t rows = width == 64 ? 9000 : 50;
    const int64_t stride = width + 8;
    const RowTensor x = RowTensor::random(GetParam(), rows * stride, 1);
    const RowTensor sums(ElementType::kFloat, width);
    run_rows_here({.type = GetParam(),
                   .rows = rows,
                   .width = width,
                   .x = x.data(),
                   .row_stride = stride,
                   .sums = sums.floats()});
    Values expected(at(width));
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < width; ++c) expected[at(c)] += x.at(r * stride + c);
    sums.expect_near(expected, 2e-5, "sums of width " + std::to_string(width));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ActivateCasesTest, testing::ValuesIn(kAllTypes),
                         [](const auto& type) { return name_of(type.param); });

}  // namespace
}  // namespace dietmt::kernels
