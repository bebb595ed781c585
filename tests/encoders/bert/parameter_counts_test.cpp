// The totals of BERT base that positions.md derives for the papers' tables: with a pooler and the
// masked-token head, without a next-sentence head.
#include <gtest/gtest.h>

#include "encoders/bert/bert.h"
#include "encoders/bert/bert_config.h"

namespace dietmt::encoders {
namespace {

constexpr int64_t kAbsolute = 110104890;

int64_t total(const std::string& position, int64_t vocabulary = 30522) {
  BertConfig config = BertConfig::preset("base");
  config.vocabulary = vocabulary;
  config.position = position;
  config.task_heads.masked_lm = true;
  int64_t sum = 0;
  for (const at::Tensor& parameter : Bert(config, 1).parameters()) sum += parameter.numel();
  EXPECT_EQ(encoders::total(parameter_counts(config)), static_cast<double>(sum));
  return sum;
}

TEST(BertParameterCounts, AbsolutePositions) {
  EXPECT_EQ(total("learned"), kAbsolute);
  EXPECT_EQ(total("learned", 120000), 178913472);
}

TEST(BertParameterCounts, DietRel) {
  EXPECT_EQ(total("diet-rel"), 109858986);
  EXPECT_EQ(total("diet-rel(share=layers)"), 109723950);
}

TEST(BertParameterCounts, DietAbs) {
  EXPECT_EQ(total("diet-abs(rank=128)"), 128586042);
  EXPECT_EQ(total("diet-abs(rank=128,share=layers)"), 111284538);
}

TEST(BertParameterCounts, TupeAddsTwoProjections) {
  // Besides the projections: layer norm, and two positions for the summary token.
  EXPECT_EQ(total("tupe-a"), kAbsolute + 1179648 + 2 * 768 + 2 * 768);
}

}  // namespace
}  // namespace dietmt::encoders
