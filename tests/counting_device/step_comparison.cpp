#include "tests/counting_device/step_comparison.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cctype>

namespace dietmt::counting {
namespace {

/// Sums over all tokens are about 100; some are zero except for rounding errors.
constexpr double kSmallestGradient = 0.1;

void expect_near(const at::Tensor& actual, const at::Tensor& expected, const std::string& name) {
  const at::Tensor here = actual.cpu(), there = expected.cpu();
  const double largest = std::max(there.abs().max().item<double>(), kSmallestGradient);
  EXPECT_LE((here - there).abs().max().item<double>(), kTolerance * largest) << name;
}

}  // namespace

void expect_same_losses_and_gradients(training::TrainingTask& on_device,
                                      training::TrainingTask& on_cpu) {
  encoders::DropoutKeys keys(3), same_keys(3);
  const training::BatchLoss expected = on_cpu.accumulate_gradients(keys);
  const training::BatchLoss actual = on_device.accumulate_gradients(same_keys);
  EXPECT_EQ(actual.targets, expected.targets);
  EXPECT_EQ(actual.tokens, expected.tokens);
  EXPECT_NEAR(actual.loss() / expected.loss(), 1.0, kTolerance);
  EXPECT_NEAR(actual.target_loss() / expected.target_loss(), 1.0, kTolerance);
  const auto parameters = on_device.model().named_parameters();
  for (const auto& item : on_cpu.model().named_parameters()) {
    const at::Tensor& gradient = parameters[item.key()].grad();
    ASSERT_EQ(gradient.defined(), item.value().grad().defined()) << item.key();
    if (gradient.defined()) expect_near(gradient, item.value().grad(), item.key());
  }
}

std::string name_of_encoding(const testing::TestParamInfo<encoders::Encoding>& info) {
  std::string name;
  for (const char c : info.param.spec)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

}  // namespace dietmt::counting
