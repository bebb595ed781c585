#include "training/optimization/r_drop.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dietmt::training {
namespace {

using at::Tensor;

constexpr double kSmoothing = 0.1, kAlpha = 3.0;

struct RDropCase {
  int64_t rows, width, classes;
  bool bias;
};

struct RDropInputs {
  RDropInputs(const RDropCase& sizes, at::ScalarType type) {
    at::manual_seed(1);
    first = torch::randn({sizes.rows, sizes.width}, type).requires_grad_(true);
    second = torch::randn({sizes.rows, sizes.width}, type).requires_grad_(true);
    weight = torch::randn({sizes.classes, sizes.width}, type).requires_grad_(true);
    if (sizes.bias) bias = torch::randn({sizes.classes}, type).requires_grad_(true);
    targets = torch::randint(sizes.classes, {sizes.rows}, at::kLong);
  }

  LossSums loss(double alpha) const {
    return linear_r_drop(first, second, weight, targets, kSmoothing, alpha, first.scalar_type(),
                         bias);
  }

  std::vector<Tensor> gradients() {
    std::vector<Tensor> found;
    for (Tensor* input : {&first, &second, &weight, &bias}) {
      if (!input->defined()) continue;
      found.push_back(input->grad().clone());
      input->mutable_grad().reset();
    }
    return found;
  }

  Tensor first, second, weight, bias, targets;
};

class RDropTest : public testing::TestWithParam<RDropCase> {
 protected:
  // Compares with the formula on the full logits.
  static void expect_equal(at::ScalarType type, double tolerance) {
    RDropInputs inputs(GetParam(), type);
    const LossSums sums = inputs.loss(kAlpha);
    (sums.smoothed * 0.5).backward();
    const std::vector<Tensor> gradients = inputs.gradients();

    const auto log_probabilities = [&](const Tensor& hidden) {
      return at::log_softmax(at::linear(hidden, inputs.weight, inputs.bias), 1);
    };
    const Tensor p = log_probabilities(inputs.first), q = log_probabilities(inputs.second);
    const auto target_loss = [&](const Tensor& logs) {
      return -logs.gather(1, inputs.targets.unsqueeze(1)).sum();
    };
    const auto smoothed = [&](const Tensor& logs) {
      return (1 - kSmoothing) * target_loss(logs) - kSmoothing * logs.mean(1).sum();
    };
    const Tensor divergence = (p.exp() * (p - q)).sum() + (q.exp() * (q - p)).sum();
    const Tensor expected = (smoothed(p) + smoothed(q)) / 2 + kAlpha / 4 * divergence;
    (expected * 0.5).backward();
    EXPECT_NEAR(sums.smoothed.item<double>(), expected.item<double>(),
                tolerance * expected.item<double>());
    EXPECT_NEAR(sums.sums[1].item<double>(), (target_loss(p) + target_loss(q)).item<double>() / 2,
                tolerance * expected.item<double>());
    const std::vector<Tensor> wanted = inputs.gradients();
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_TRUE(at::allclose(gradients[i], wanted[i], tolerance, 10 * tolerance)) << i;
  }
};

TEST_P(RDropTest, EqualsTheFormulaInDouble) { expect_equal(at::kDouble, 1e-9); }
TEST_P(RDropTest, EqualsTheFormulaInFloat) { expect_equal(at::kFloat, 1e-4); }

INSTANTIATE_TEST_SUITE_P(Sizes, RDropTest,
                         testing::Values(RDropCase{1, 4, 2, false}, RDropCase{7, 8, 33, true},
                                         RDropCase{513, 4, 50, false},
                                         RDropCase{1100, 3, 5, true}));

TEST(RDrop, EqualPassesHaveTheLossOfOne) {
  RDropInputs inputs({40, 8, 30, false}, at::kFloat);
  inputs.second = inputs.first;
  const LossSums one =
      linear_cross_entropy(inputs.first, inputs.weight, inputs.targets, kSmoothing, at::kFloat);
  EXPECT_NEAR(inputs.loss(kAlpha).smoothed.item<double>(), one.smoothed.item<double>(), 1e-3);
  EXPECT_NEAR(inputs.loss(kAlpha).sums[1].item<double>(), one.sums[1].item<double>(), 1e-3);
}

TEST(RDrop, ProductsInBFloat16AreNear) {
  RDropInputs inputs({200, 32, 60, false}, at::kFloat);
  const double exact = inputs.loss(kAlpha).smoothed.item<double>();
  const LossSums rounded = linear_r_drop(inputs.first, inputs.second, inputs.weight, inputs.targets,
                                         kSmoothing, kAlpha, at::kBFloat16);
  EXPECT_NEAR(rounded.smoothed.item<double>(), exact, 0.02 * exact);
  rounded.smoothed.backward();
  EXPECT_TRUE(inputs.first.grad().isfinite().all().item<bool>());
  EXPECT_EQ(inputs.weight.grad().scalar_type(), at::kFloat);
}

// A weight counts a row as often as copies of it.
TEST(RDrop, TokenWeightsCountRows) {
  const auto gradients = [](bool copies) {
    RDropInputs inputs({6, 5, 11, true}, at::kDouble);
    const Tensor repeats = at::tensor({1, 0, 3, 1, 2, 1}, at::kLong);
    const auto repeated = [&](const Tensor& x) { return x.repeat_interleave(repeats, 0); };
    const LossSums sums =
        copies
            ? linear_r_drop(repeated(inputs.first), repeated(inputs.second), inputs.weight,
                            repeated(inputs.targets), kSmoothing, kAlpha, at::kDouble, inputs.bias)
            : linear_r_drop(inputs.first, inputs.second, inputs.weight, inputs.targets, kSmoothing,
                            kAlpha, at::kDouble, inputs.bias, repeats.to(at::kFloat));
    sums.backward();
    std::vector<Tensor> found = inputs.gradients();
    found.push_back(sums.sums);
    return found;
  };
  const std::vector<Tensor> expected = gradients(true), found = gradients(false);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(at::allclose(found[i], expected[i], 1e-9, 1e-9)) << i;
}

}  // namespace
}  // namespace dietmt::training
