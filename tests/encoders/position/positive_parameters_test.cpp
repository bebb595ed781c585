// Encodings whose formulas need positive numbers, with parameters that an optimiser has moved
// elsewhere.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <string>

#include "tests/encoders/position/encoding_run.h"

namespace dietmt::encoders {
namespace {

/// What an encoding adds to the scores of 7 tokens with one parameter at `value` and the others at
/// one half, and the gradient of its weighted sum.
struct Probe {
  at::Tensor bias;
  double gradient;
};

Probe probe(const std::string& spec, at::Tensor ScoreTerms::*term, const std::string& parameter,
            double value) {
  const auto scheme = make_scheme(spec, AttentionSite::kEncoder);
  scheme->to(at::kFloat);
  at::Tensor probed;
  {
    const torch::NoGradGuard no_grad;
    for (auto& item : scheme->named_parameters()) {
      item.value().fill_(item.key() == spec + "." + parameter ? value : 0.5);
      if (item.key() == spec + "." + parameter) probed = item.value();
    }
  }
  const at::Tensor bias = scheme->lower({7, 7}, at::empty({0}, at::kFloat)).front().*term;
  const at::Tensor weights = at::linspace(-1, 2, bias.numel()).view_as(bias);
  const at::Tensor gradient = torch::autograd::grad({(bias * weights).sum()}, {probed})[0];
  return {bias, gradient.sum().item<double>()};
}

TEST(PositiveParameters, FireIsFiniteAndLearnsAtAnyScaleAndThreshold) {
  for (const char* parameter : {"log_scale", "threshold_factor"}) {
    for (const double value : {1.0, 1e-3, 1e-9, 0.0, -1e-9, -0.3, -2.0}) {
      const Probe fire = probe("fire", &ScoreTerms::position_bias, parameter, value);
      EXPECT_TRUE(fire.bias.isfinite().all().item<bool>()) << parameter << " = " << value;
      EXPECT_TRUE(std::isfinite(fire.gradient)) << parameter << " = " << value;
      EXPECT_NE(fire.gradient, 0.0) << parameter << " = " << value;
    }
  }
}

/// A step of the learning rate moves the threshold by that fraction of its size.
TEST(PositiveParameters, FireLearnsAFactorOfItsThreshold) {
  const auto scheme = std::make_shared<PositionScheme>("fire", context(AttentionSite::kEncoder));
  EXPECT_EQ(scheme->named_parameters()["fire.threshold_factor"].item<double>(), 1.0);
  const auto at_distance_one = [](double factor) {
    return probe("fire", &ScoreTerms::position_bias, "threshold_factor", factor).bias[0][0][1];
  };
  EXPECT_GT(at_distance_one(0.5).item<double>(), at_distance_one(1.0).item<double>());
}

TEST(PositiveParameters, KerpleFallsWithTheDistanceAndLearnsEverywhere) {
  for (const char* parameter : {"height", "width"}) {
    for (const double value : {1.0, 0.009, 1e-4, 0.0, -0.005, -0.7}) {
      const Probe kerple = probe("kerple", &ScoreTerms::offset_bias, parameter, value);
      const at::Tensor later = kerple.bias.slice(1, 6);  // offsets 0 .. 6
      EXPECT_LT(later.diff().max().item<double>(), 0.0) << parameter << " = " << value;
      EXPECT_NE(kerple.gradient, 0.0) << parameter << " = " << value;
    }
  }
}

}  // namespace
}  // namespace dietmt::encoders
