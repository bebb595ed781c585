#include "bert/model/config_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/error.h"

namespace dietmt::bert {
namespace {

TEST(BertConfigJson, KeepsEveryField) {
  encoders::BertConfig config = encoders::BertConfig::preset("mini");
  config.vocabulary = 123;
  config.max_positions = 77;
  config.segments = 3;
  config.position = "learned+diet-rel";
  config.segment_encoding = "heads";
  config.activation = "relu";
  config.norm_epsilon = 1e-7;
  config.dropout = 0.2;
  config.attention_dropout = 0.3;
  config.activation_dropout = 0.4;
  config.embedding_dropout = 0.5;
  config.head_dropout = 0.6;
  config.task_heads = {
      .pooler = true, .masked_lm = true, .next_sentence = true, .classes = 5, .spans = true};
  const nlohmann::json json = to_json(config);
  EXPECT_EQ(to_json(config_from_json(json)), json);
  const nlohmann::json defaults = to_json(encoders::BertConfig());
  for (const auto& [name, value] : json.items()) {
    if (name != "pooler") {
      EXPECT_NE(value, defaults.at(name)) << name << " is not told apart";
    }
  }
}

TEST(BertConfigJson, NamesAMissingField) {
  nlohmann::json json = to_json(encoders::BertConfig());
  json.erase("norm_epsilon");
  try {
    config_from_json(json);
    FAIL() << "accepted";
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'norm_epsilon' is missing"));
  }
}

}  // namespace
}  // namespace dietmt::bert
