#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "encoders/bert/bert_config.h"

namespace dietmt::encoders {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(BertConfig, PresetsHaveThePublishedSizes) {
  const BertConfig base = BertConfig::preset("base");
  EXPECT_EQ(base.layers, 12);
  EXPECT_EQ(base.width, 768);
  EXPECT_EQ(base.feed_forward, 3072);
  EXPECT_EQ(base.heads, 12);
  const BertConfig mini = BertConfig::preset("mini");
  EXPECT_EQ(mini.layers, 4);
  EXPECT_EQ(mini.width, 256);
  EXPECT_EQ(mini.heads, 4);
  EXPECT_THROW(BertConfig::preset("huge"), ConfigError);
}

TEST(BertConfig, ReportsAllProblemsAtOnce) {
  BertConfig config = BertConfig::preset("tiny");
  config.vocabulary = 100;
  EXPECT_TRUE(config.problems().empty());
  config.heads = 3;
  config.segment_encoding = "twice";
  config.position = "learned+input-segments";
  config.activation = "swiglu";
  config.norm_epsilon = 0.0;
  config.head_dropout = 1.0;
  config.task_heads = {.pooler = false, .classes = 2};
  EXPECT_THAT(
      config.problems(),
      ElementsAre(HasSubstr("--heads 3"), HasSubstr("'twice'"), HasSubstr("--segment-encoding"),
                  HasSubstr("'swiglu'"), HasSubstr("--norm-epsilon"), HasSubstr("--head-dropout"),
                  HasSubstr("need the pooler")));
}

TEST(BertConfig, SegmentsJoinThePositions) {
  BertConfig config;
  EXPECT_EQ(config.position_and_segments(), "learned+input-segments");
  config.position = "diet-rel";
  config.segment_encoding = "heads";
  EXPECT_EQ(config.position_and_segments(), "diet-rel+segments");
  config.position = "none";
  EXPECT_EQ(config.position_and_segments(), "segments");
  config.segment_encoding = "none";
  EXPECT_EQ(config.position_and_segments(), "none");
}

}  // namespace
}  // namespace dietmt::encoders
