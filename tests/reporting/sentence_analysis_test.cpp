#include "reporting/sentence_analysis.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dietmt::reporting {
namespace {

using nlohmann::json;

SentenceAnalysis small_analysis() {
  SentenceAnalysis analysis;
  analysis.model = "en-de";
  analysis.source_tokens = {"a", "b", "\xff"};  // a piece of one byte is not UTF-8
  analysis.target_tokens = {"x", "y"};
  analysis.cross_attention = {
      1, 2, 2, 3, {0.1f, 0.2f, 0.7f, 0.3f, 0.3f, 0.4f, 1.0f, 0.0f, 0.0f, 0.00004f, 0.5f, 0.49996f}};
  return analysis;
}

TEST(SentenceAnalysisTest, MatricesAreNestedByLayerHeadQueryAndKey) {
  const json answer = json::parse(to_json(small_analysis()));
  EXPECT_EQ(answer["attention"]["cross"],
            json::parse("[[[[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], [[1, 0, 0], [0, 0.5, 0.5]]]]"));
  EXPECT_EQ(answer["attention"]["encoder"], json::array());
  EXPECT_EQ(answer["position"]["decoder"], json::array());
  EXPECT_EQ(answer["source_tokens"][2], "\xEF\xBF\xBD");
  EXPECT_EQ(answer["target_tokens"], json({"x", "y"}));
}

}  // namespace
}  // namespace dietmt::reporting
