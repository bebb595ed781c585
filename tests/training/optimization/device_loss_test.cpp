// The losses on a device: equal to the CPU's, without a wait.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "tests/counting_device/counting_device.h"
#include "tests/counting_device/fused_kernels.h"
#include "training/optimization/logit_blocks.h"
#include "training/optimization/loss.h"
#include "training/optimization/r_drop.h"

namespace dietmt::training {
namespace {

using at::Tensor;
// The autograd engine knows only devices that exist before its first backward pass.
const at::Device kDevice = counting::counting_device();

constexpr int64_t kRows = 300, kWidth = 16, kClasses = 50;

struct LossInputs {
  Tensor hidden, second, weight, bias, targets;
  std::vector<Tensor> leaves() const { return {hidden, second, weight, bias}; }
};

LossInputs inputs_on(at::Device device, at::ScalarType hidden_type) {
  at::manual_seed(3);
  const auto leaf = [&](at::IntArrayRef sizes, at::ScalarType type) {
    return torch::randn(sizes).to(at::kBFloat16).to(device, type).requires_grad_(true);
  };
  return {leaf({kRows, kWidth}, hidden_type), leaf({kRows, kWidth}, hidden_type),
          leaf({kClasses, kWidth}, at::kFloat), leaf({kClasses}, at::kFloat),
          torch::randint(kClasses, {kRows}, at::kLong).to(device)};
}

using LossOf = std::function<LossSums(const LossInputs&)>;

void expect_as_on_the_cpu(const LossOf& loss_of, at::ScalarType hidden_type, double tolerance,
                          int64_t launches) {
  const LossInputs expected = inputs_on(at::kCPU, at::kFloat);
  const LossSums sums = loss_of(expected);
  sums.smoothed.backward();
  const LossInputs found = inputs_on(kDevice, hidden_type);
  counting::reset_counts();
  const LossSums device_sums = loss_of(found);
  device_sums.smoothed.backward();
  const counting::Counts counts = counting::counts();
  EXPECT_EQ(counts.waits, 0);
  EXPECT_LE(counts.launches, launches);
  EXPECT_EQ(counts.host_to_device, 0);
  const auto near = [&](const Tensor& a, const Tensor& b) {
    const double size = b.abs().max().item<double>();
    return (a.cpu().to(b.scalar_type()) - b).abs().max().item<double>() <= tolerance * size;
  };
  EXPECT_TRUE(near(device_sums.smoothed, sums.smoothed));
  EXPECT_TRUE(near(device_sums.sums[1], sums.sums[1]));
  EXPECT_EQ(device_sums.smoothed.scalar_type(), at::kFloat);
  for (size_t i = 0; i < found.leaves().size(); ++i) {
    const Tensor gradient = expected.leaves()[i].grad();
    ASSERT_EQ(gradient.defined(), found.leaves()[i].grad().defined()) << i;
    if (!gradient.defined()) continue;
    EXPECT_TRUE(near(found.leaves()[i].grad(), gradient)) << i;
  }
}

LossOf cross_entropy(at::ScalarType type, bool has_bias) {
  return [=](const LossInputs& in) {
    const bool on_cpu = in.hidden.is_cpu();
    return linear_cross_entropy(in.hidden, in.weight, in.targets, 0.1, on_cpu ? at::kFloat : type,
                                has_bias ? in.bias : Tensor());
  };
}

// Filler rows at the end: loss and gradients are those of the other rows.
TEST(DeviceLoss, IgnoresRowsWithoutTarget) {
  constexpr int64_t kFillers = 20;
  kernels::DeviceKernels without_loss = counting::fused_kernels();
  without_loss.cross_entropy = nullptr;
  for (const kernels::DeviceKernels& kernels : {counting::fused_kernels(), without_loss}) {
    const counting::OtherKernels used(kernels);
    const LossInputs plain = inputs_on(kDevice, at::kFloat),
                     filled = inputs_on(kDevice, at::kFloat);
    const auto real = [](const Tensor& x) { return x.narrow(0, 0, kRows - kFillers); };
    const LossSums expected = linear_cross_entropy(
        real(plain.hidden), plain.weight, real(plain.targets), 0.1, at::kFloat, plain.bias);
    expected.backward();
    filled.targets.narrow(0, kRows - kFillers, kFillers).fill_(kIgnoredTarget);
    const LossSums found = linear_cross_entropy(filled.hidden, filled.weight, filled.targets, 0.1,
                                                at::kFloat, filled.bias);
    found.backward();
    EXPECT_TRUE(at::allclose(found.sums.cpu(), expected.sums.cpu(), 1e-6));
    const Tensor gradient = filled.hidden.grad().cpu();
    EXPECT_TRUE(at::allclose(real(gradient), real(plain.hidden.grad().cpu()), 1e-5, 1e-7));
    EXPECT_EQ(gradient.narrow(0, kRows - kFillers, kFillers).count_nonzero().item<int64_t>(), 0);
    EXPECT_TRUE(at::allclose(filled.weight.grad().cpu(), plain.weight.grad().cpu(), 1e-5, 1e-5));
    EXPECT_TRUE(at::allclose(filled.bias.grad().cpu(), plain.bias.grad().cpu(), 1e-5, 1e-5));
  }
}

TEST(DeviceLoss, IsThatOfTheCpu) {
  for (const bool has_bias : {false, true}) {
    expect_as_on_the_cpu(cross_entropy(at::kFloat, has_bias), at::kFloat, 1e-5, 16);
    expect_as_on_the_cpu(cross_entropy(at::kBFloat16, has_bias), at::kFloat, 2e-2, 20);
    expect_as_on_the_cpu(cross_entropy(at::kBFloat16, has_bias), at::kBFloat16, 2e-2, 17);
  }
}

TEST(DeviceLoss, WeightedIsThatOfTheCpu) {
  expect_as_on_the_cpu(
      [](const LossInputs& in) {
        const Tensor weights = in.targets.remainder(4).to(at::kFloat);
        return linear_cross_entropy(in.hidden, in.weight, in.targets, 0.1, at::kFloat, in.bias,
                                    weights);
      },
      at::kFloat, 1e-5, 20);
}

TEST(DeviceLoss, RDropIsThatOfTheCpu) {
  expect_as_on_the_cpu(
      [](const LossInputs& in) {
        return linear_r_drop(in.hidden, in.second, in.weight, in.targets, 0.1, 3.0, at::kFloat,
                             in.bias);
      },
      at::kFloat, 1e-4, 80);
}

// The gradients of weight and bias are sums over the blocks.
TEST(DeviceLoss, BlocksAddUp) {
  const auto gradients = [](int64_t block_rows) {
    const LossInputs in = inputs_on(kDevice, at::kBFloat16);
    const torch::NoGradGuard no_grad;
    OutputLayer output(in.weight, in.bias, at::kBFloat16, kRows, true);
    const Tensor grad_hidden = at::empty_like(in.hidden);
    Tensor sums = at::zeros({2}, in.hidden.options().dtype(at::kDouble));
    for (int64_t begin = 0; begin < kRows; begin += block_rows) {
      const int64_t rows = std::min(block_rows, kRows - begin);
      const Tensor block = in.hidden.narrow(0, begin, rows);
      Tensor logits = output.products(block);
      sums.add_(block_loss(logits, in.bias, {in.targets.narrow(0, begin, rows)}, 0.1, true));
      output.backward(logits, block, grad_hidden.narrow(0, begin, rows));
    }
    return std::vector<Tensor>{sums.cpu(), grad_hidden.cpu().to(at::kFloat),
                               output.grad_weight().cpu(), output.grad_bias().cpu()};
  };
  const std::vector<Tensor> whole = gradients(kRows), parts = gradients(128);
  for (size_t i = 0; i < whole.size(); ++i)
    EXPECT_TRUE(at::allclose(parts[i], whole[i], 1e-5, 1e-4)) << i;
}

}  // namespace
}  // namespace dietmt::training
