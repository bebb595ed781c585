// The row kernels compared with the CPU's in fp32: the same masks, nearly the same numbers.
#include "kernels/rowwise.h"
#include "tests/kernels/cuda/rowwise/host_rows.h"
#include "tests/kernels/cuda/rowwise/norm_case.h"

namespace dietmt::kernels {
namespace {

std::vector<float> numbers_of(const RowTensor& tensor) {
  return {tensor.floats(), tensor.floats() + tensor.size()};
}

void expect_near(const RowTensor& tensor, const std::vector<float>& expected, double error,
                 const char* name) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    ASSERT_NEAR(tensor.at(i), expected[static_cast<size_t>(i)], error) << name << " " << i;
    ASSERT_EQ(tensor.at(i) == 0.0, expected[static_cast<size_t>(i)] == 0.0f) << name << " " << i;
  }
}

TEST(CpuRowsTest, NormsAreThoseOfTheCpu) {
  for (const NormKind kind : {NormKind::kLayer, NormKind::kRms}) {
    const NormCase norm(
        {.rows = 50, .width = 520, .kind = kind, .dropout = 0.3, .branch_bias = false});
    run_rows_on_host(norm.forward(), {});
    run_rows_on_host(norm.backward(), {});

    const auto size = static_cast<size_t>(norm.size);
    const auto width = static_cast<size_t>(norm.options.width);
    std::vector<float> normalized(size), inverse_std(50), output(size);
    std::vector<float> grad_residual(size), grad_branch(size), grad_gamma(width), grad_beta(width);
    AddNorm forward = norm.forward();
    forward.normalized = normalized.data();
    forward.inverse_std = inverse_std.data();
    forward.output = output.data();
    row_kernels().add_norm(forward);
    AddNormBackward backward = norm.backward();
    backward.normalized = normalized.data();
    backward.inverse_std = inverse_std.data();
    backward.grad_residual = grad_residual.data();
    backward.grad_branch = grad_branch.data();
    backward.grad_gamma = grad_gamma.data();
    backward.grad_beta = norm.layer() ? grad_beta.data() : nullptr;
    row_kernels().add_norm_backward(backward);
    expect_near(norm.output, output, 5e-6, "output");
    expect_near(norm.inverse_std, inverse_std, 5e-6, "inverse_std");
    expect_near(norm.grad_residual, grad_residual, 5e-6, "grad_residual");
    expect_near(norm.grad_branch, grad_branch, 5e-6, "grad_branch");
    expect_near(norm.grad_gamma, grad_gamma, 2e-5, "grad_gamma");
    if (norm.layer()) expect_near(norm.grad_beta, grad_beta, 2e-5, "grad_beta");
  }
}

TEST(CpuRowsTest, DropoutAndResidualAreThoseOfTheCpu) {
  constexpr int64_t kRows = 37;
  constexpr int64_t kWidth = 200;
  const RowTensor branch = RowTensor::random(ElementType::kFloat, kRows * kWidth, 1);
  const RowTensor residual = RowTensor::random(ElementType::kFloat, kRows * kWidth, 2);
  const RowTensor output(ElementType::kFloat, kRows * kWidth);
  Activate call;
  call.rows = kRows;
  call.width = kWidth;
  call.x = branch.data();
  call.residual = residual.data();
  call.dropout = dropout_of(0.4, 1234567890123456789U);
  call.output = output.data();
  run_rows_on_host(call, {});
  std::vector<float> expected(static_cast<size_t>(kRows * kWidth));
  call.output = expected.data();
  row_kernels().activate(call);
  // Compilers may fuse the multiplication with the addition.
  expect_near(output, expected, 1e-6, "output");
}

// This allows a recorded call to run again with another pass's key.
TEST(CpuRowsTest, KernelsReadTheKeyOfThePassWhenTheyRun) {
  constexpr int64_t kSize = 2048;
  const RowTensor branch = RowTensor::random(ElementType::kFloat, kSize, 1);
  const RowTensor output(ElementType::kFloat, kSize);
  auto* const pass_key = static_cast<uint64_t*>(allocate_shared(sizeof(uint64_t)));
  Activate call;
  call.rows = 8;
  call.width = kSize / 8;
  call.x = branch.data();
  call.dropout = {0.4, {pass_key, 7}};
  call.output = output.data();
  const ActivateArguments arguments = plan(call);
  for (const uint64_t key : {uint64_t{5}, ~uint64_t{5}}) {
    *pass_key = key;
    launch_rows_on_host(call.type, arguments, {});
    std::vector<float> expected(static_cast<size_t>(kSize));
    Activate on_cpu = call;
    on_cpu.output = expected.data();
    row_kernels().activate(on_cpu);
    expect_near(output, expected, 0.0, "output");
  }
}

TEST(CpuRowsTest, CrossEntropyIsThatOfTheCpu) {
  constexpr int64_t kRows = 5;
  constexpr int64_t kClasses = 3001;
  const RowTensor logits = RowTensor::random(ElementType::kFloat, kRows * kClasses, 1, 6.0);
  std::vector<float> expected = numbers_of(logits);
  const std::vector<int64_t> targets = {0, 3000, 5, 77, 1024};
  std::vector<double> losses(kRows), target_losses(kRows);
  row_kernels().cross_entropy.fp32({.rows = kRows,
                                    .classes = kClasses,
                                    .logits = expected.data(),
                                    .targets = targets.data(),
                                    .smoothing = 0.1,
                                    .gradient = true,
                                    .losses = losses.data(),
                                    .target_losses = target_losses.data()});
  const RowTensor device_losses(ElementType::kFloat, 2 * kRows);
  DeviceCrossEntropy call;
  call.rows = kRows;
  call.classes = kClasses;
  call.logits = logits.data();
  call.targets = targets.data();
  call.smoothing = 0.1;
  call.gradient = true;
  call.losses = device_losses.floats();
  run_rows_on_host(call, {});
  for (int64_t r = 0; r < kRows; ++r) {
    EXPECT_NEAR(device_losses.at(2 * r), losses[static_cast<size_t>(r)], 1e-5);
    EXPECT_NEAR(device_losses.at(2 * r + 1), target_losses[static_cast<size_t>(r)], 1e-5);
  }
  for (int64_t i = 0; i < logits.size(); ++i) {
    ASSERT_NEAR(logits.at(i), expected[static_cast<size_t>(i)], 1e-6);
  }
}

}  // namespace
}  // namespace dietmt::kernels
