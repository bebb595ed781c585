#include "training/optimization/loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <utility>

#include "training/optimization/logit_blocks.h"

namespace dietmt::training {
namespace {

using at::Tensor;

struct Case {
  int64_t rows, width, classes;
  double smoothing;
};

class LossTest : public testing::TestWithParam<Case> {};

// Compares the blocked operation with log_softmax on the full logits, in the given type.
void expect_equal(const Case& sizes, at::ScalarType type, double tolerance) {
  at::manual_seed(1);
  const Tensor hidden = torch::randn({sizes.rows, sizes.width}, type).requires_grad_(true);
  const Tensor weight = torch::randn({sizes.classes, sizes.width}, type).requires_grad_(true);
  const Tensor targets = torch::randint(sizes.classes, {sizes.rows}, at::kLong);
  const LossSums sums = linear_cross_entropy(hidden, weight, targets, sizes.smoothing, type);
  (sums.smoothed * 0.5).backward();
  const Tensor grad_hidden = hidden.grad().clone();
  const Tensor grad_weight = weight.grad().clone();
  hidden.mutable_grad().reset();
  weight.mutable_grad().reset();

  const Tensor logs = at::log_softmax(at::mm(hidden, weight.t()), 1);
  const Tensor target_loss = -logs.gather(1, targets.unsqueeze(1)).sum();
  const Tensor smoothed =
      (1 - sizes.smoothing) * target_loss - sizes.smoothing * logs.mean(1).sum();
  (smoothed * 0.5).backward();
  EXPECT_NEAR(sums.smoothed.item<double>(), smoothed.item<double>(),
              tolerance * smoothed.item<double>());
  EXPECT_NEAR(sums.sums[1].item<double>(), target_loss.item<double>(),
              tolerance * smoothed.item<double>());
  EXPECT_TRUE(at::allclose(grad_hidden, hidden.grad(), tolerance, 10 * tolerance));
  EXPECT_TRUE(at::allclose(grad_weight, weight.grad(), tolerance, 10 * tolerance));
}

TEST_P(LossTest, EqualsLogSoftmaxInDouble) { expect_equal(GetParam(), at::kDouble, 1e-10); }
TEST_P(LossTest, EqualsLogSoftmaxInFloat) { expect_equal(GetParam(), at::kFloat, 1e-5); }

INSTANTIATE_TEST_SUITE_P(Sizes, LossTest,
                         testing::Values(Case{1, 4, 2, 0.0}, Case{7, 8, 33, 0.1},
                                         Case{513, 4, 50, 0.1}, Case{1100, 3, 5, 0.3}));

TEST(Loss, ItsOwnBackwardGivesTheSameBits) {
  at::manual_seed(2);
  const Tensor hidden = torch::randn({20, 8}).requires_grad_(true);
  const Tensor weight = torch::randn({30, 8}).requires_grad_(true);
  const Tensor targets = torch::randint(30, {20}, at::kLong);
  const auto loss = [&] { return linear_cross_entropy(hidden, weight, targets, 0.1, at::kFloat); };
  loss().smoothed.backward();
  const Tensor grad_hidden = hidden.grad().clone(), grad_weight = weight.grad().clone();
  hidden.mutable_grad().reset();
  weight.mutable_grad().reset();
  const LossSums sums = loss();
  sums.backward();
  EXPECT_TRUE(at::equal(hidden.grad(), grad_hidden));
  EXPECT_TRUE(at::equal(weight.grad(), grad_weight));
  EXPECT_EQ(sums.sums[0].to(at::kFloat).item<float>(), sums.smoothed.item<float>());
}

TEST(Loss, WithoutGradientsGivesTheSameValue) {
  at::manual_seed(2);
  const Tensor hidden = torch::randn({20, 8}).requires_grad_(true);
  const Tensor weight = torch::randn({30, 8}).requires_grad_(true);
  const Tensor targets = torch::randint(30, {20}, at::kLong);
  const double trained =
      linear_cross_entropy(hidden, weight, targets, 0.1, at::kFloat).smoothed.item<double>();
  const torch::NoGradGuard no_grad;
  const LossSums sums = linear_cross_entropy(hidden, weight, targets, 0.1, at::kFloat);
  EXPECT_NEAR(sums.smoothed.item<double>(), trained, 1e-4);
  EXPECT_FALSE(sums.smoothed.requires_grad());
}

TEST(Loss, Bfloat16ProductsStayClose) {
  at::manual_seed(3);
  const Tensor hidden = torch::randn({64, 32}).requires_grad_(true);
  const Tensor weight = (torch::randn({100, 32}) * 0.2).requires_grad_(true);
  const Tensor targets = torch::randint(100, {64}, at::kLong);
  const double full =
      linear_cross_entropy(hidden, weight, targets, 0.1, at::kFloat).smoothed.item<double>();
  const LossSums half = linear_cross_entropy(hidden, weight, targets, 0.1, at::kBFloat16);
  half.smoothed.backward();
  EXPECT_NEAR(half.smoothed.item<double>(), full, 0.01 * full);
  EXPECT_EQ(weight.grad().scalar_type(), at::kFloat);
}

TEST(Loss, ABiasIsPartOfTheLogits) {
  for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
    at::manual_seed(4);
    const double tolerance = type == at::kDouble ? 1e-10 : 1e-4;
    const auto leaf = [&](at::IntArrayRef sizes) {
      return torch::randn(sizes, type).requires_grad_(true);
    };
    const Tensor hidden = leaf({600, 4}), weight = leaf({9, 4}), bias = leaf({9});
    const Tensor targets = torch::randint(9, {600}, at::kLong);
    const LossSums sums = linear_cross_entropy(hidden, weight, targets, 0.0, type, bias);
    sums.smoothed.backward();
    const Tensor grad_hidden = hidden.grad().clone();
    const Tensor grad_bias = bias.grad().clone();
    hidden.mutable_grad().reset();
    bias.mutable_grad().reset();
    const Tensor logs = at::log_softmax(at::mm(hidden, weight.t()) + bias, 1);
    const Tensor expected = -logs.gather(1, targets.unsqueeze(1)).sum();
    expected.backward();
    EXPECT_NEAR(sums.smoothed.item<double>(), expected.item<double>(), 600 * tolerance);
    EXPECT_TRUE(at::allclose(grad_hidden, hidden.grad(), tolerance, tolerance));
    EXPECT_TRUE(at::allclose(grad_bias, bias.grad(), tolerance, tolerance));
  }
}

// Compared with the rows' own losses, in the kernels and in tensor operations.
TEST(Loss, TokenWeightsMultiplyTheRows) {
  for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
    at::manual_seed(4);
    const auto leaf = [&](at::IntArrayRef sizes) {
      return torch::randn(sizes, type).requires_grad_(true);
    };
    const Tensor hidden = leaf({600, 4}), weight = leaf({9, 4}), bias = leaf({9});
    const Tensor targets = torch::randint(9, {600}, at::kLong);
    const Tensor token_weights = at::arange(600, at::kFloat).remainder_(5);
    linear_cross_entropy(hidden, weight, targets, 0.1, type, bias, token_weights)
        .smoothed.backward();
    const Tensor grad_hidden = hidden.grad().clone(), grad_bias = bias.grad().clone();
    hidden.mutable_grad().reset();
    bias.mutable_grad().reset();
    const Tensor rows = at::cross_entropy_loss(at::linear(hidden, weight, bias), targets, {},
                                               at::Reduction::None, -100, 0.1) *
                        token_weights.to(type);
    rows.sum().backward();
    const double tolerance = type == at::kDouble ? 1e-10 : 1e-4;
    EXPECT_TRUE(at::allclose(grad_hidden, hidden.grad(), tolerance, tolerance));
    EXPECT_TRUE(at::allclose(grad_bias, bias.grad(), tolerance, 10 * tolerance));
    EXPECT_EQ(grad_hidden.select(0, 5).count_nonzero().item<int64_t>(), 0);  // of weight 0
  }
}

TEST(Loss, TokenWeightsOfOneChangeNoBit) {
  at::manual_seed(5);
  const Tensor hidden = torch::randn({70, 8}).requires_grad_(true);
  const Tensor weight = torch::randn({30, 8}).requires_grad_(true);
  const Tensor targets = torch::randint(30, {70}, at::kLong);
  const auto gradient = [&](const Tensor& token_weights) {
    linear_cross_entropy(hidden, weight, targets, 0.1, at::kFloat, {}, token_weights).backward();
    return std::exchange(hidden.mutable_grad(), {});
  };
  EXPECT_TRUE(at::equal(gradient(at::ones({70})), gradient({})));
}

// LibTorch's "meta" device has sizes and no numbers.
TEST(OutputLayer, BlocksOfADeviceAreLargeAndAboutEqual) {
  const auto rows_of_block = [](int64_t rows, int64_t classes, at::ScalarType type) {
    const Tensor weight = at::empty({classes, 8}, at::TensorOptions(at::kFloat).device(at::kMeta));
    const int64_t block = OutputLayer(weight, {}, type, rows, false).block_rows(type);
    EXPECT_LE(block * classes * static_cast<int64_t>(c10::elementSize(type)),
              OutputLayer::kDeviceBlock);
    return block;
  };
  EXPECT_EQ(rows_of_block(25'000, 32'000, at::kBFloat16), 6272);  // four times
  EXPECT_EQ(rows_of_block(25'000, 32'000, at::kFloat), 3584);     // seven times
  EXPECT_EQ(rows_of_block(4000, 32'000, at::kBFloat16), 4096);
  EXPECT_EQ(rows_of_block(10, 1'000'000, at::kBFloat16), 128);
}

}  // namespace
}  // namespace dietmt::training
