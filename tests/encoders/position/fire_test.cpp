// FIRE on sentences so long that decoding computes its table in parts.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "tests/encoders/position/encoding_run.h"

namespace dietmt::encoders {
namespace {

TEST(Fire, PartsOfALongTableAreThoseOfTheWhole) {
  const auto scheme = make_scheme("fire", AttentionSite::kEncoder);
  scheme->to(at::kFloat);
  const auto bias = [&](const Extent& extent) {
    return scheme->lower(extent, at::empty({0}, at::kFloat)).front().position_bias;
  };
  const torch::NoGradGuard no_grad;
  EXPECT_EQ(bias({0, 0}).numel(), 0);
  const at::Tensor whole = bias({1500, 1500});  // 72 million hidden units
  for (const int64_t length : {300, 1100}) {    // in one part, and in parts of another size
    const at::Tensor corner = whole.narrow(-2, 0, length).narrow(-1, 0, length);
    EXPECT_TRUE(at::allclose(bias({length, length}), corner, 1e-5, 1e-6)) << length;
  }
}

}  // namespace
}  // namespace dietmt::encoders
