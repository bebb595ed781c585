#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "encoders/attention/head_layout.h"

namespace dietmt::encoders {
namespace {

TEST(HeadSplit, PartsAreViewsInOrder) {
  const at::Tensor projected = at::randn({5, 3, 2, 4});
  const auto parts = split_heads(projected);
  ASSERT_EQ(parts.size(), 3U);
  for (int64_t p = 0; p < 3; ++p) EXPECT_TRUE(at::equal(parts[p], projected.select(1, p)));
  EXPECT_TRUE(are_parts(parts));
  EXPECT_TRUE(are_parts(empty_like_parts(parts)));
}

TEST(HeadSplit, OtherTensorsAreNoParts) {
  const auto parts = at::randn({5, 3, 2, 4}).unbind(1);
  EXPECT_FALSE(are_parts({parts[1], parts[0], parts[2]}));
  EXPECT_FALSE(are_parts({parts[0], parts[1]}));
  EXPECT_FALSE(are_parts({parts[0], parts[1], parts[2].clone()}));
  EXPECT_FALSE(are_parts({parts[0], parts[1], at::Tensor()}));
  const auto empty = empty_like_parts({parts[1], parts[0]});
  EXPECT_FALSE(are_parts(empty));
  EXPECT_EQ(empty[0].sizes(), parts[0].sizes());
}

TEST(HeadSplit, GradientsFlowWithAndWithoutACopy) {
  const at::Tensor weights = at::randn({5, 3, 2, 4});
  for (const bool adjacent : {true, false}) {
    const at::Tensor projected = at::randn({5, 3, 2, 4}).requires_grad_(true);
    const auto parts = split_heads(projected);
    std::vector<at::Tensor> gradients = weights.unbind(1);
    if (!adjacent)
      for (at::Tensor& gradient : gradients) gradient = gradient.clone();
    const auto results = torch::autograd::grad(parts, {projected}, gradients);
    EXPECT_TRUE(at::equal(results[0], weights));
    EXPECT_EQ(results[0].is_alias_of(weights), adjacent);
  }
}

}  // namespace
}  // namespace dietmt::encoders
