// Linear layers compared with the same formulas in double.
#include "tests/kernels/cuda/linear/linear_case.h"

namespace dietmt::kernels {
namespace {

using Values = std::vector<double>;

Values zeros(const RowTensor& tensor) { return Values(static_cast<size_t>(tensor.size())); }

class LinearCasesTest : public testing::TestWithParam<ElementType> {
 protected:
  void SetUp() override {
    const std::string reason = reason_not_to_run();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  // Three different sizes, so that they cannot be confused; then sizes that no vector divides.
  std::vector<LinearSizes> sizes() const {
    return {{GetParam(), 40, 64, 24},
            {GetParam(), 8, 16, 128},
            {GetParam(), 7, 9, 5},
            {GetParam(), 1, 33, 2}};
  }
};

constexpr double kError = 2e-5;

TEST_P(LinearCasesTest, Forward) {
  for (const LinearSizes& size : sizes()) {
    for (const bool has_bias : {false, true}) {
      for (const bool relu : {false, true}) {
        const LinearCase linear(size);
        DeviceLinear call = linear.forward();
        if (!has_bias) call.bias = nullptr;
        call.relu = relu;
        ASSERT_TRUE(run_linear_here(call)) << size.name();
        linear.output.expect_near(linear.expected_output(has_bias, relu), kError, size.name());
      }
    }
  }
}

TEST_P(LinearCasesTest, GradientsReplaceWhatIsThere) {
  for (const LinearSizes& size : sizes()) {
    const LinearCase linear(size);
    run_linear_here(linear.backward());
    linear.grad_x.expect_near(linear.with_grad_x(zeros(linear.grad_x)), kError, size.name());
    linear.grad_weight.expect_near(linear.with_grad_weight(zeros(linear.grad_weight)), kError,
                                   size.name());
    linear.grad_bias.expect_near(linear.with_grad_bias(zeros(linear.grad_bias)), kError,
                                 size.name());
  }
}

TEST_P(LinearCasesTest, GradientsAreAddedToWhatIsThere) {
  for (const LinearSizes& size : sizes()) {
    const LinearCase linear(size);
    const Values x = linear.with_grad_x(linear.grad_x.values());
    const Values weight = linear.with_grad_weight(linear.grad_weight.values());
    const Values bias = linear.with_grad_bias(linear.grad_bias.values());
    DeviceLinearBackward call = linear.backward();
    call.add_to_grad_x = true;
    call.accumulate = true;
    run_linear_here(call);
    // cuBLASLt rounds products of these sizes before adding them to existing values, at most 1.
    linear.grad_x.expect_near(x, kError + rounding_of(size.type), size.name(), 2);
    linear.grad_weight.expect_near(weight, kError, size.name());
    linear.grad_bias.expect_near(bias, kError, size.name());
  }
}

TEST_P(LinearCasesTest, GradientsThatNobodyWantsAreLeftOut) {
  const LinearSizes size{GetParam(), 16, 24, 8};
  const LinearCase linear(size);
  const Values x = linear.grad_x.values();
  const Values weight = linear.grad_weight.values();
  DeviceLinearBackward call = linear.backward();
  call.grad_x = nullptr;
  call.grad_weight = nullptr;
  run_linear_here(call);
  linear.grad_bias.expect_near(linear.with_grad_bias(zeros(linear.grad_bias)), kError, "bias");
  EXPECT_EQ(linear.grad_x.values(), x);
  EXPECT_EQ(linear.grad_weight.values(), weight);
  call = linear.backward();
  call.grad_bias = nullptr;
  run_linear_here(call);
  linear.grad_weight.expect_near(linear.with_grad_weight(zeros(linear.grad_weight)), kError,
                                 "weight");
}

TEST_P(LinearCasesTest, WithoutRowsTheGradientsOfParametersAreZero) {
  const LinearCase linear({GetParam(), 0, 24, 8});
  run_linear_here(linear.forward());
  DeviceLinearBackward call = linear.backward();
  call.accumulate = true;
  const Values before = linear.grad_weight.values();
  run_linear_here(call);
  EXPECT_EQ(linear.grad_weight.values(), before);
  run_linear_here(linear.backward());
  EXPECT_EQ(linear.grad_weight.values(), zeros(linear.grad_weight));
  EXPECT_EQ(linear.grad_bias.values(), zeros(linear.grad_bias));
}

INSTANTIATE_TEST_SUITE_P(Types, LinearCasesTest, testing::ValuesIn(kAllTypes),
                         [](const auto& type) { return name_of(type.param); });

}  // namespace
}  // namespace dietmt::kernels
