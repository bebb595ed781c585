// How often linear layers call the library, and what they do without one of its algorithms.
#include <cublasLt.h>

#include "tests/kernels/cuda/linear/fake_library.h"
#include "tests/kernels/cuda/linear/linear_case.h"

namespace dietmt::kernels {
namespace {

TEST(LinearLibraryTest, TheBiasGradientCostsNoKernel) {
  const LinearCase linear({ElementType::kBFloat16, 16, 24, 40});
  const FakeLibrary before = fake_library();
  run_linear_here(linear.backward());
  EXPECT_EQ(fake_library().products, before.products + 2);
  EXPECT_EQ(fake_library().column_sums, before.column_sums);
}

TEST(LinearLibraryTest, AlgorithmsAreChosenOnceForAShape) {
  const LinearCase linear({ElementType::kBFloat16, 16, 24, 48});
  const int before = fake_library().choices;
  run_linear_here(linear.forward());
  run_linear_here(linear.backward());
  EXPECT_EQ(fake_library().choices, before + 3);
  run_linear_here(linear.forward());
  run_linear_here(linear.backward());
  EXPECT_EQ(fake_library().choices, before + 3);
  // The next bias lies elsewhere, with the same alignment.
  const LinearCase other({ElementType::kBFloat16, 16, 24, 48});
  run_linear_here(other.forward());
  EXPECT_EQ(fake_library().choices, before + 3);
  other.output.expect_near(other.expected_output(true, false), 2e-5, "the other output");
}

TEST(LinearLibraryTest, WithoutTheEpilogueAKernelSumsTheBiasGradient) {
  fake_library().epilogues_without_algorithm = {CUBLASLT_EPILOGUE_BGRADB};
  const LinearCase linear({ElementType::kHalf, 16, 24, 56});
  const int before = fake_library().column_sums;
  run_linear_here(linear.backward());
  fake_library().epilogues_without_algorithm.clear();
  EXPECT_EQ(fake_library().column_sums, before + 1);
  const std::vector<double> zeros(56);
  linear.grad_bias.expect_near(linear.with_grad_bias(zeros), 2e-5, "grad_bias");
  linear.grad_weight.expect_near(
      linear.with_grad_weight(std::vector<double>(static_cast<size_t>(24 * 56))), 2e-5,
      "grad_weight");
}

TEST(LinearLibraryTest, ALayerSaysThatThereIsNoAlgorithm) {
  fake_library().epilogues_without_algorithm = {CUBLASLT_EPILOGUE_BIAS,
                                                CUBLASLT_EPILOGUE_RELU_AUX_BIAS};
  const LinearCase linear({ElementType::kHalf, 16, 24, 64});
  const int before = fake_library().products;
  EXPECT_FALSE(run_linear_here(linear.forward()));
  EXPECT_EQ(fake_library().products, before);
  const ReluNetworkCase network({ElementType::kHalf, 16, 64, 24});
  EXPECT_FALSE(run_linear_here(network.inner_forward()));
  DeviceLinear without_signs = network.inner_forward();
  without_signs.relu_signs = nullptr;
  EXPECT_TRUE(run_linear_here(without_signs));
  fake_library().epilogues_without_algorithm.clear();
}

TEST(LinearLibraryTest, TheReluGradientCostsNoKernelWhereTheLibraryHasIt) {
  const ReluNetworkCase network({ElementType::kBFloat16, 16, 72, 24});
  ASSERT_TRUE(run_linear_here(network.inner_forward()));
  const FakeLibrary before = fake_library();
  run_linear_here(network.outer_backward());
  EXPECT_EQ(fake_library().products, before.products + 2);
  EXPECT_EQ(fake_library().activations, before.activations);
  fake_library().epilogues_without_algorithm = {CUBLASLT_EPILOGUE_DRELU};
  const ReluNetworkCase other({ElementType::kBFloat16, 16, 80, 24});
  ASSERT_TRUE(run_linear_here(other.inner_forward()));
  run_linear_here(other.outer_backward());
  fake_library().epilogues_without_algorithm.clear();
  EXPECT_EQ(fake_library().activations, before.activations + 1);
  other.outer.grad_x.expect_near(other.expected_grad_hidden(), 2e-5, "grad_x");
}

}  // namespace
}  // namespace dietmt::kernels
