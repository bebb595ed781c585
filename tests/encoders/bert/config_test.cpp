#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "encoders/bert/bert.h"
#include "encoders/bert/bert_config.h"
#include "encoders/position/encodings/encoding_table.h"
#include "tests/encoders/counted_parameters.h"

namespace dietmt::encoders {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

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

BertConfig distinct_config() {
  BertConfig config;
  config.vocabulary = 40;
  config.layers = 3;
  config.width = 24;
  config.feed_forward = 10;
  config.heads = 4;
  config.max_positions = 70;
  return config;
}

void expect_count(const BertConfig& config) {
  expect_parameters(parameter_counts(config), Bert(config, 1));
}

TEST(BertSize, IsThatOfBuiltModelsWithEveryHead) {
  for (const BertHeads& heads :
       {BertHeads{.pooler = false}, BertHeads{}, BertHeads{.masked_lm = true},
        BertHeads{.masked_lm = true, .next_sentence = true}, BertHeads{.classes = 5},
        BertHeads{.pooler = false, .spans = true}}) {
    BertConfig config = distinct_config();
    config.task_heads = heads;
    expect_count(config);
  }
}

TEST(BertSize, IsThatOfBuiltModelsWithEveryEncoding) {
  for (const EncodingRow& row : encoding_table()) {
    if (!row.sites.contains(AttentionSite::kEncoder) || row.name.ends_with("segments")) continue;
    for (const std::string segments : {"input", "heads", "none"}) {
      if (row.compresses_keys && segments == "heads") continue;
      SCOPED_TRACE(row.name + " " + segments);
      BertConfig config = distinct_config();
      config.position = row.name;
      config.segment_encoding = segments;
      expect_count(config);
    }
  }
}

TEST(BertSize, NamesTheSizesThatDoNotFit) {
  BertConfig config = distinct_config();
  EXPECT_EQ(memory_problem(config, 16), "");
  config.width = config.feed_forward = 65536;
  config.layers = 1000;
  EXPECT_THAT(memory_problem(config, 16),
              StartsWith("--width 65536, --feed-forward 65536, --layers 1000"));
  EXPECT_THAT(memory_problem(config, 16, "config.json"),
              HasSubstr("config.json: width 65536, feed_forward 65536, layers 1000"));
}

TEST(BertSize, ModelsThatDoNotFitAreNotBuilt) {
  BertConfig config = distinct_config();
  config.position = "diet-abs(rank=1048576)";
  config.max_positions = 1 << 20;
  try {
    Bert(config, 1);
    FAIL() << "built";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), StartsWith("--position 'diet-abs(rank=1048576)', --width 24"));
  }
}

TEST(BertSize, AWrongEncodingIsQuotedWithoutSegments) {
  BertConfig config = distinct_config();
  config.position = "learnt";
  try {
    parameter_counts(config);
    FAIL() << "counted";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), StartsWith("position encoding \"learnt\", column 1: "));
  }
}

}  // namespace
}  // namespace dietmt::encoders
