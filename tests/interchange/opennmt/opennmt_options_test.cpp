// The options of OpenNMT-py and eole.
#include "interchange/opennmt/opennmt_options.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/interchange/cases.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json opt() {
  return {{"encoder_type", "transformer"},
          {"decoder_type", "transformer"},
          {"enc_layers", 6},
          {"dec_layers", 3},
          {"enc_rnn_size", 16},
          {"dec_rnn_size", 16},
          {"heads", 4},
          {"transformer_ff", 32},
          {"dropout", {0.3, 0.1}},
          {"attention_dropout", {0.2}},
          {"position_encoding", true},
          {"src_subword_model", "/training/a.model"}};
}

json eole() {
  const json stack = {{"layers", 6}, {"hidden_size", 16}, {"heads", 4}, {"transformer_ff", 32}};
  return {{"model",
           {{"architecture", "transformer"},
            {"encoder", stack},
            {"decoder", stack},
            {"embeddings", {{"position_encoding_type", "SinusoidalConcat"}}}}},
          {"training", {{"dropout", {0.3}}}},
          {"transforms_configs",
           {{"sentencepiece", {{"src_subword_model", "${MODEL_PATH}/a.model"}}}}}};
}

TEST(OpennmtOptions, AreThoseOfAllVersions) {
  json third = opt();
  for (const std::string stack : {"enc", "dec"}) {
    third.erase(stack + "_rnn_size");
    third[stack + "_hid_size"] = 16;
  }
  for (const json& options : {opt(), third}) {
    const OpennmtOptions made = parse_opennmt_options(options);
    EXPECT_EQ(made.model.width, 16);
    EXPECT_EQ(made.model.encoder_layers, 6);
    EXPECT_EQ(made.model.decoder_layers, 3);
    EXPECT_EQ(made.model.norm, "pre");
    EXPECT_EQ(made.model.dropout, 0.3);
    EXPECT_EQ(made.model.attention_dropout, 0.2);
    EXPECT_EQ(made.model.encoder_position, "sinusoidal");
    EXPECT_TRUE(made.scales_embeddings);
    EXPECT_EQ(made.subword_files[0], "a.model");
    EXPECT_EQ(made.subword_files[1], "a.model");
  }
}

TEST(OpennmtOptions, ThatDietmtLacksAreNamed) {
  const auto failure_with = [](const char* name, const json& value) {
    json options = opt();
    options[name] = value;
    return failure<CheckpointError>([&] { parse_opennmt_options(options); });
  };
  EXPECT_EQ(failure_with("copy_attn", false), "succeeded");
  EXPECT_THAT(failure_with("copy_attn", true), HasSubstr("was trained with copy_attn"));
  EXPECT_THAT(failure_with("encoder_type", "brnn"), HasSubstr("encoder_type is 'brnn'"));
  EXPECT_THAT(failure_with("decoder_type", "transformer_lm"), HasSubstr("'transformer_lm'"));
  EXPECT_THAT(failure_with("model_task", "lm"), HasSubstr("the task 'lm'"));
  EXPECT_THAT(failure_with("self_attn_type", "average"), HasSubstr("self_attn_type is 'average'"));
  EXPECT_THAT(failure_with("generator_function", "sparsemax"), HasSubstr("'sparsemax'"));
  EXPECT_THAT(failure_with("max_relative_positions", -2), HasSubstr("ALiBi"));
  EXPECT_THAT(failure_with("num_experts", 8), HasSubstr("was trained with num_experts"));
  EXPECT_THAT(failure_with("pos_ffn_activation_fn", "gated-gelu"), HasSubstr("'gated-gelu'"));
  EXPECT_THAT(failure_with("dec_rnn_size", 32), HasSubstr("different widths"));
  EXPECT_THAT(failure_with("heads", "four"), HasSubstr("heads is \"four\""));
  EXPECT_THAT(failure<CheckpointError>([] { parse_opennmt_options(json::array()); }),
              HasSubstr("unknown form"));
}

TEST(OpennmtOptions, CombinePositions) {
  json options = opt();
  options["max_relative_positions"] = 5;
  EXPECT_EQ(parse_opennmt_options(options).model.encoder_position,
            "sinusoidal+shaw(clip=5,tied=true)");
  options["max_relative_positions"] = -1;
  options["position_encoding"] = false;
  EXPECT_EQ(parse_opennmt_options(options).model.decoder_position,
            "rope(pairs=interleaved,base=10000)");
  options["rotary_dim"] = 2;
  EXPECT_THAT(failure<CheckpointError>([&] { parse_opennmt_options(options); }),
              HasSubstr("rotary_dim is 2, a part of the heads"));
}

TEST(EoleOptions, AreThoseOfTheStacks) {
  const OpennmtOptions made = parse_eole_options(eole());
  EXPECT_EQ(made.model.width, 16);
  EXPECT_EQ(made.model.encoder_layers, 6);
  EXPECT_EQ(made.model.encoder_position, "sinusoidal(layout=halves)");
  EXPECT_EQ(made.model.norm_epsilon, 1e-5);
  EXPECT_EQ(made.model.dropout, 0.3);
  EXPECT_TRUE(made.scales_embeddings);
  EXPECT_EQ(made.subword_files[0], "a.model");
}

TEST(EoleOptions, ThatDietmtLacksAreNamed) {
  const auto failure_with = [](const char* path, const json& value) {
    json options = eole();
    options[json::json_pointer(path)] = value;
    return failure<CheckpointError>([&] { parse_eole_options(options); });
  };
  EXPECT_EQ(failure_with("/model/heads_kv", nullptr), "succeeded");
  EXPECT_THAT(failure_with("/model/architecture", "transformer_lm"), HasSubstr("'transformer_lm'"));
  EXPECT_THAT(failure_with("/model/decoder/heads", 2),
              HasSubstr("the encoder's heads differs from the decoder's"));
  EXPECT_THAT(failure_with("/model/decoder/num_experts", 2), HasSubstr("num_experts"));
  EXPECT_THAT(failure_with("/model/encoder/encoder_layer_style", "postnorm"),
              HasSubstr("'postnorm'"));
  EXPECT_THAT(failure_with("/model/embeddings/position_encoding_type", "Relative"),
              HasSubstr("position_encoding_type is 'Relative'"));
  EXPECT_THAT(failure_with("/model/decoder/mlp_activation_fn", "quick_gelu"),
              HasSubstr("mlp_activation_fn is 'quick_gelu'"));
  EXPECT_THAT(failure_with("/training/lora_layers", {"w_1"}), HasSubstr("lora_layers"));
  EXPECT_THAT(failure_with("/model/decoder", 3), HasSubstr("decoder"));
}

}  // namespace
}  // namespace dietmt::interchange
