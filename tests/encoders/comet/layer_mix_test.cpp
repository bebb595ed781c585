#include "encoders/comet/layer_mix.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/types.h>

namespace dietmt::encoders {
namespace {

using at::Tensor;

Tensor numbers(const std::vector<float>& values) { return torch::tensor(values); }

TEST(Sparsemax, ProjectsOntoTheSimplex) {
  EXPECT_TRUE(at::allclose(sparsemax(numbers({0.1F, 0.1F, 0.1F, 0.1F})), at::full({4}, 0.25)));
  EXPECT_TRUE(at::equal(sparsemax(numbers({3, 0, 1})), numbers({1, 0, 0})));
  EXPECT_TRUE(at::allclose(sparsemax(numbers({0.5F, 1, -2})), numbers({0.25F, 0.75F, 0})));
  EXPECT_TRUE(at::equal(sparsemax(numbers({-7})), numbers({1})));
}

// The nearest point of the simplex: no reachable other point is nearer.
TEST(Sparsemax, IsTheNearestPoint) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(1);
  for (int round = 0; round < 20; ++round) {
    const Tensor scores = at::randn({6});
    const Tensor nearest = sparsemax(scores);
    EXPECT_NEAR(nearest.sum().item<float>(), 1, 1e-6);
    EXPECT_GE(nearest.min().item<float>(), 0);
    for (int other = 0; other < 20; ++other) {
      const Tensor point = at::softmax(at::randn({6}) * 3, 0);
      EXPECT_LE((nearest - scores).norm().item<float>(), (point - scores).norm().item<float>());
    }
  }
}

TEST(LayerMix, NormalisesEachInputOverTokensAndDimensions) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(2);
  const LayerMix mix(1, "softmax", true);
  const Packing packing({3, 1, 2});
  const Tensor mixed = mix.forward({at::randn({6, 5}) * 4 + 3}, packing);
  for (int64_t b = 0; b < packing.sentences(); ++b) {
    const auto begin = packing.offsets()[static_cast<size_t>(b)];
    const Tensor input = mixed.slice(0, begin, begin + packing.lengths()[static_cast<size_t>(b)]);
    EXPECT_NEAR(input.mean().item<float>(), 0, 1e-5);
    EXPECT_NEAR(input.var(/*unbiased=*/false).item<float>(), 1, 1e-4);
  }
}

TEST(LayerMix, LeavesTheLayersAsTheyAre) {
  const torch::NoGradGuard no_grad;
  const Tensor layer = at::randn({4, 3});
  const Tensor before = layer.clone();
  const Packing packing({4});
  LayerMix(2, "softmax", false).forward({layer, layer}, packing);
  LayerMix(2, "sparsemax", true).forward({layer, layer}, packing);
  EXPECT_TRUE(at::equal(layer, before));
}

}  // namespace
}  // namespace dietmt::encoders
