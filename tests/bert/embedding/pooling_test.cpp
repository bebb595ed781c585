#include "bert/embedding/pooling.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/types.h>

#include "common/error.h"

namespace dietmt::bert {
namespace {

using ::testing::HasSubstr;

// Inputs of two, one and three tokens.
const encoders::Packing& packing() {
  static const encoders::Packing kPacking({2, 1, 3});
  return kPacking;
}

at::Tensor hidden() {
  return torch::tensor({1., 2., 3., 6., 5., 5., 0., 0., 1., 2., 5., 1.}).view({6, 2});
}

TEST(Pooling, NoneKeepsAllTokens) {
  EXPECT_TRUE(at::equal(pool(hidden(), packing(), Pooling::kNone), hidden()));
}

TEST(Pooling, FirstTakesTheFirstTokenOfEachInput) {
  const at::Tensor expected = torch::tensor({1., 2., 5., 5., 0., 0.}).view({3, 2});
  EXPECT_TRUE(at::equal(pool(hidden(), packing(), Pooling::kFirst), expected));
}

TEST(Pooling, MeanStaysInsideEachInput) {
  const at::Tensor expected = torch::tensor({2., 4., 5., 5., 2., 1.}).view({3, 2});
  EXPECT_TRUE(at::equal(pool(hidden(), packing(), Pooling::kMean), expected));
}

TEST(Pooling, NamesAreThoseOfTheCommand) {
  EXPECT_EQ(parse_pooling("none"), Pooling::kNone);
  EXPECT_EQ(parse_pooling("cls"), Pooling::kFirst);
  EXPECT_EQ(parse_pooling("mean"), Pooling::kMean);
  try {
    parse_pooling("max");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("possible: none, cls, mean"));
  }
}

}  // namespace
}  // namespace dietmt::bert
