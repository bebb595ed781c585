#include "encoders/position/encodings/rotary_scaling.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace dietmt::encoders {
namespace {

constexpr int64_t kPairs = 4;
constexpr int64_t kBase = 10000;  // w = 1, 0.1, 0.01, 0.001

std::vector<double> frequencies(RotaryScalingMethod method, int64_t factor, int64_t length = 512) {
  const at::Tensor w = rotary_frequencies(kPairs, kBase, {method, factor, length});
  return {w.data_ptr<double>(), w.data_ptr<double>() + w.numel()};
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t m = 0; m < found.size(); ++m)
    EXPECT_NEAR(found[m] / expected[m], 1.0, 1e-12) << "pair " << m;
}

TEST(RotaryScaling, AFactorOfOneChangesNothing) {
  for (const auto method : {RotaryScalingMethod::kYarn, RotaryScalingMethod::kLlama3,
                            RotaryScalingMethod::kNtk, RotaryScalingMethod::kLinear}) {
    expect_near(frequencies(method, 1), {1, 0.1, 0.01, 0.001});
    EXPECT_EQ(rotary_temperature({.method = method}), 1.0);
  }
}

TEST(RotaryScaling, LinearSlowsAllPairs) {
  expect_near(frequencies(RotaryScalingMethod::kLinear, 4), {0.25, 0.025, 0.0025, 0.00025});
}

TEST(RotaryScaling, NtkKeepsTheFastestAndDividesTheSlowest) {
  const double root = std::cbrt(8.0);
  expect_near(frequencies(RotaryScalingMethod::kNtk, 8),
              {1, 0.1 / root, 0.01 / (root * root), 0.001 / 8});
  const at::Tensor one = rotary_frequencies(1, kBase, {RotaryScalingMethod::kNtk, 8, 512});
  EXPECT_EQ(one.item<double>(), 1.0);
}

// In 200 pi tokens the pairs turn 100, 10, 1 and 0.1 times; in 628 slightly less.
TEST(RotaryScaling, ByPartsInterpolatesWhatTurnsRarely) {
  const double turns = 628 * 0.1 / (2 * std::numbers::pi);
  const double yarn = (turns - 1) / 31;
  expect_near(frequencies(RotaryScalingMethod::kYarn, 2, 628),
              {1, 0.1 * (yarn + (1 - yarn) / 2), 0.005, 0.0005});
  expect_near(frequencies(RotaryScalingMethod::kLlama3, 2, 628), {1, 0.1, 0.005, 0.0005});
  const double slow = (157 * 0.1 / (2 * std::numbers::pi) - 1) / 3;
  expect_near(frequencies(RotaryScalingMethod::kLlama3, 2, 157),
              {1, 0.1 * (slow + (1 - slow) / 2), 0.005, 0.0005});
}

TEST(RotaryScaling, OnlyYarnSharpensAttention) {
  EXPECT_DOUBLE_EQ(rotary_temperature({RotaryScalingMethod::kYarn, 8, 512}),
                   std::pow(0.1 * std::log(8.0) + 1, 2));
  EXPECT_EQ(rotary_temperature({RotaryScalingMethod::kLlama3, 8, 512}), 1.0);
}

}  // namespace
}  // namespace dietmt::encoders
