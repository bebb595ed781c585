#include "nmt/reranking/feature_weights.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FeatureWeightsTest : public ScratchTest {};

TEST_F(FeatureWeightsTest, AreReadBack) {
  const FeatureWeights written{{"score", "reverse"}, {0.25, -0.1}};
  const auto read = FeatureWeights::read(write("w.json", written.text()), {"reverse", "score"});
  EXPECT_THAT(read.names, ElementsAre("reverse", "score"));
  EXPECT_THAT(read.values, ElementsAre(-0.1, 0.25));
}

TEST_F(FeatureWeightsTest, AreThoseOfTheFeatures) {
  const auto problem = [&](const std::string& content) {
    const std::string file = write("w.json", content);
    return message_of<Error>([&] { FeatureWeights::read(file, {"score", "length"}); });
  };
  EXPECT_THAT(problem(R"({"weights": {"score": 1, "length": 0, "reverse": 1}})"),
              HasSubstr("w.json: a weight of 'reverse', but the features are score, length"));
  EXPECT_THAT(problem(R"({"weights": {"score": 1}})"), HasSubstr("w.json: "));
  EXPECT_THAT(problem(R"({"weights": {"score": 1}})"), HasSubstr("length"));
  EXPECT_THAT(problem(R"({"weights": {"score": "x", "length": 1}})"),
              HasSubstr("score is \"x\"; it must be a number"));
  EXPECT_THAT(problem("score 1"), HasSubstr("w.json"));
}

TEST(Ranking, OrdersByTheWeightedSumAndKeepsTheOrderOfEqualOnes) {
  const std::vector<std::vector<double>> features = {{-1, 2}, {-2, 5}, {-2, 3}, {-1, 2}};
  EXPECT_THAT(ranking(std::vector{1.0, 0.0}, features), ElementsAre(0, 3, 1, 2));
  EXPECT_THAT(ranking(std::vector{1.0, 0.5}, features), ElementsAre(1, 0, 3, 2));
}

}  // namespace
}  // namespace dietmt::nmt
