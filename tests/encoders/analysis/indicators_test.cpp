// Indicators, rank and cosine maps: the worked example of an independent implementation
// (positions.json) to 1e-12, and matrices whose values follow from the definition.
#include "encoders/analysis/indicators.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "common/error.h"
#include "tests/encoders/position/fixture_file.h"

namespace dietmt::encoders {
namespace {

using nlohmann::json;

/// a[i,j] = values[j - i + n - 1]; rows sum to 1 only if `values` does.
at::Tensor toeplitz(const std::vector<double>& values) {
  const auto n = static_cast<int64_t>(values.size() + 1) / 2;
  const at::Tensor index = at::arange(n).unsqueeze(0) - at::arange(n).unsqueeze(1) + n - 1;
  return at::tensor(values, at::kDouble).index({index});
}

void expect_indicators(const AttentionIndicators& found, const json& expected) {
  constexpr double kTolerance = 1e-12;
  EXPECT_NEAR(found.aiv, expected.at("aiv").get<double>(), kTolerance);
  EXPECT_NEAR(found.opr, expected.at("opr").get<double>(), kTolerance);
  EXPECT_NEAR(found.sd, expected.at("sd").get<double>(), kTolerance);
  EXPECT_NEAR(found.db, expected.at("db").get<double>(), kTolerance);
}

TEST(AttentionIndicators, MeetTheWorkedExample) {
  const json& tables = fixtures().at("tables");
  const at::Tensor attention = tensor_of(tables.at("indicator_attention"));
  expect_indicators(attention_indicators(attention), tables.at("indicators"));
  expect_indicators(attention_indicators(attention, 2), tables.at("indicators_reach2"));
}

TEST(AttentionIndicators, OfEachReachAreThoseOfTheFirstOffsets) {
  const json& tables = fixtures().at("tables");
  const at::Tensor attention = tensor_of(tables.at("indicator_attention"));
  const AttentionIndicators found = attention_indicators(attention);
  ASSERT_EQ(found.opr_by_reach.size(), 5U);
  ASSERT_EQ(found.db_by_reach.size(), 5U);
  EXPECT_NEAR(found.opr_by_reach.back(), tables.at("indicators").at("opr").get<double>(), 1e-12);
  EXPECT_NEAR(found.db_by_reach[1], tables.at("indicators_reach2").at("db").get<double>(), 1e-12);
  // Falls for one word, then grows.
  const at::Tensor a = toeplitz({0.5, 0.4, 0.1, 0.9, 0.1, 0.4, 0.5});
  const std::vector<double> opr = attention_indicators(a).opr_by_reach;
  EXPECT_EQ(opr[0], 0);
  EXPECT_GT(opr[1], 0);
  EXPECT_EQ(opr[2], attention_indicators(a).opr);
  EXPECT_TRUE(std::isnan(attention_indicators(at::full({5, 5}, 0.2)).opr_by_reach[3]));
}

TEST(AttentionIndicators, MeansLeaveUndefinedOnesOut) {
  const AttentionIndicators mean =
      mean_indicators({{0.2, 0.4, 1.0, 2.0}, {std::nan(""), 0.6, 0.0, 4.0}});
  EXPECT_EQ(mean.aiv, 0.2);
  EXPECT_EQ(mean.opr, 0.5);
  EXPECT_EQ(mean.sd, 0.5);
  EXPECT_EQ(mean.db, 3.0);
  EXPECT_TRUE(std::isnan(mean_indicators({}).opr));

  AttentionIndicators first, second;
  first.opr_by_reach = {0.25, std::nan("")};
  second.opr_by_reach = {0.75, 0.5};
  EXPECT_EQ(mean_indicators({first, second}).opr_by_reach, (std::vector<double>{0.5, 0.5}));
}

TEST(AttentionIndicators, OnlyOffsetsGiveNoVarianceInDiagonals) {
  // Offsets -2 .. 2; falls with the distance, higher for preceding words.
  const AttentionIndicators found = attention_indicators(toeplitz({0.2, 0.3, 0.9, 0.1, 0.05}));
  EXPECT_NEAR(found.aiv, 0, 1e-15);
  EXPECT_EQ(found.opr, 0);
  EXPECT_NEAR(found.sd, (2 * 0.2 + 0.15) / 3, 1e-15);
  EXPECT_NEAR(found.db, (2 * 0.3 + 0.2) / (2 * 0.1 + 0.05), 1e-12);
  EXPECT_NEAR(attention_indicators(toeplitz({0.2, 0.3, 0.9, 0.1, 0.05}), 1).db, 3, 1e-12);
}

TEST(AttentionIndicators, GrowingWithTheDistanceIsFullyOrdered) {
  EXPECT_EQ(attention_indicators(toeplitz({0.5, 0.3, 0.1, 0.2, 0.4})).opr, 1);
}

TEST(AttentionIndicators, AllVarianceLiesInDiagonalsWhereTheirMeansAreEqual) {
  const at::Tensor a = at::tensor({1.0, 2.0, 2.0, 3.0}, at::kDouble).view({2, 2});
  EXPECT_NEAR(attention_indicators(a).aiv, 1, 1e-15);
}

TEST(AttentionIndicators, SayWhatIsNotDefined) {
  const AttentionIndicators flat = attention_indicators(at::full({5, 5}, 0.2));
  EXPECT_TRUE(std::isnan(flat.aiv));
  EXPECT_TRUE(std::isnan(flat.opr));
  EXPECT_EQ(flat.sd, 0);
  EXPECT_NEAR(flat.db, 1, 1e-12);
  const at::Tensor causal = at::ones({4, 4}).tril();
  EXPECT_TRUE(std::isinf(attention_indicators(causal).db));
  EXPECT_THROW(attention_indicators(at::ones({2, 3})), Error);
}

TEST(NumericRank, CountsWhatRoundingDoesNotMake) {
  at::manual_seed(1);
  const at::Tensor left = at::randn({40, 3}, at::kDouble);
  const at::Tensor right = at::randn({3, 40}, at::kDouble);
  EXPECT_EQ(numeric_rank(at::matmul(left, right)), 3);
  EXPECT_EQ(numeric_rank(at::matmul(left, right).to(at::kFloat)), 3);
  EXPECT_EQ(numeric_rank(at::eye(7)), 7);
  EXPECT_EQ(numeric_rank(at::zeros({6, 6})), 0);
  // Just above and just below sigma_max * n * 2^-23.
  const double limit = 2 * std::pow(2.0, -23);
  EXPECT_EQ(numeric_rank(at::diag(at::tensor({1.0, 1.01 * limit}, at::kDouble))), 2);
  EXPECT_EQ(numeric_rank(at::diag(at::tensor({1.0, 0.99 * limit}, at::kDouble))), 1);
}

TEST(CosineMap, CountsPairsOfDifferentRows) {
  const at::Tensor table =
      at::tensor({1.0, 0.0, 10.0, 1.0, 0.0, 3.0, 0.0, 0.0}, at::kDouble).view({4, 2});
  const CosineMap map = cosine_map(table);
  EXPECT_NEAR(map.share_alike, 1.0 / 6, 1e-15);  // only rows 0 and 1
  EXPECT_NEAR(map.cosines[0][1].item<double>(), 10 / std::sqrt(101.0), 1e-15);
  EXPECT_NEAR(map.cosines[1][2].item<double>(), 1 / std::sqrt(101.0), 1e-15);
  EXPECT_NEAR(map.cosines[2][2].item<double>(), 1, 1e-15);
  EXPECT_EQ(map.cosines[3].abs().max().item<double>(), 0);
}

}  // namespace
}  // namespace dietmt::encoders
