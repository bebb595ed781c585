// The settings of Sockeye.
#include "interchange/sockeye/sockeye_options.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "interchange/yaml_values.h"
#include "tests/interchange/cases.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json settings() {
  return read_yaml_values(std::filesystem::path(DIETMT_SOCKEYE_CASES) / "pre" / "config");
}

TEST(SockeyeOptions, AreThoseOfTheStacks) {
  const nmt::ModelConfig made = parse_sockeye_options(settings());
  EXPECT_EQ(made.norm, "pre");  // `preprocess_sequence: n` is a text
  EXPECT_EQ(made.activation, "gelu");
  EXPECT_EQ(made.heads, 2);
  EXPECT_EQ(made.dropout, 0.3);
  EXPECT_EQ(made.activation_dropout, 0.2);
  EXPECT_EQ(made.encoder_position, "learned");
}

TEST(SockeyeOptions, ThatDietmtLacksAreNamed) {
  const auto failure_with = [](const char* path, const json& value) {
    json changed = settings();
    changed[json::json_pointer(path)] = value;
    return failure<CheckpointError>([&] { parse_sockeye_options(changed); });
  };
  const auto in_both = [](const char* name, const json& value) {
    json changed = settings();
    for (const char* stack : {"config_encoder", "config_decoder"}) changed[stack][name] = value;
    return failure<CheckpointError>([&] { parse_sockeye_options(changed); });
  };
  EXPECT_EQ(failure_with("/lhuc", false), "succeeded");
  for (const char* name : {"lhuc", "neural_vocab_selection"})
    EXPECT_THAT(failure_with((std::string("/") + name).c_str(), "eos"), HasSubstr(name));
  EXPECT_THAT(failure_with("/config_length_task", {{"num_layers", 1}}),
              HasSubstr("was trained with config_length_task"));
  EXPECT_THAT(failure_with("/config_encoder/use_lhuc", true), HasSubstr("use_lhuc"));
  EXPECT_THAT(failure_with("/config_decoder/block_prepended_cross_attention", true),
              HasSubstr("block_prepended_cross_attention"));
  EXPECT_THAT(failure_with("/config_data/num_source_factors", 2),
              HasSubstr("num_source_factors is 2; dietmt's models have no factors"));
  EXPECT_THAT(failure_with("/config_data/num_target_factors", 3),
              HasSubstr("num_target_factors is 3"));
  EXPECT_THAT(failure_with("/dtype", "int8"), HasSubstr("dtype is 'int8'; only models in float32"));
  EXPECT_THAT(failure_with("/config_decoder/act_type", "relu"),
              HasSubstr("act_type of the encoder differs from the decoder's"));
  EXPECT_THAT(failure_with("/config_decoder/decoder_type", "rnn"),
              HasSubstr("decoder_type is 'rnn'"));
  EXPECT_THAT(failure_with("/config_encoder/positional_embedding_type", "none"),
              HasSubstr("positional_embedding_type is 'none'; known: fixed, learned"));
  EXPECT_THAT(in_both("use_glu", true), HasSubstr("act_type is 'gelu' with use_glu"));
  EXPECT_THAT(in_both("act_type", "tanh"), HasSubstr("act_type is 'tanh'; known"));
  EXPECT_THAT(in_both("postprocess_sequence", "drn"),
              HasSubstr("preprocess_sequence is \"n\" and postprocess_sequence \"drn\""));
  EXPECT_THAT(failure_with("/config_embed_target/num_embed", 8),
              HasSubstr("config_embed_target: num_embed differs from model_size, 16"));
}

}  // namespace
}  // namespace dietmt::interchange
