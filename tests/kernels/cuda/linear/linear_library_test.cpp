// How often linear layers call the library, and what they do if it lacks an algorithm.
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
  // The next bias has another address with the same alignment.
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
  fake_library().epilogues_without_algorithm = {CUBLASLT_EPILOGUE_BIAS};
  const LinearCase linear({ElementType::kHalf, 16, 24, 64});
  const int before = fake_library().products;
  EXPECT_FALSE(run_linear_here(linear.forward()));
  EXPECT_EQ(fake_library().products, before);
  DeviceLinear relu = linear.forward();
  relu.relu = true;
  EXPECT_TRUE(run_linear_here(relu));
  fake_library().epilogues_without_algorithm.clear();
}

}  // namespace
}  // namespace dietmt::kernels
