// The settings of JoeyNMT.
#include "interchange/joeynmt/joeynmt_options.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/interchange/cases.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json config() {
  const json stack = {{"type", "transformer"}, {"num_layers", 6},
                      {"num_heads", 4},        {"hidden_size", 16},
                      {"ff_size", 32},         {"layer_norm", "post"},
                      {"dropout", 0.3},        {"embeddings", {{"scale", true}}}};
  const json text = {{"level", "bpe"},
                     {"lowercase", true},
                     {"tokenizer_cfg", {{"codes", "a/codes.txt"}, {"pretokenizer", "moses"}}}};
  return {{"data", {{"src", text}, {"trg", {{"level", "word"}}}}},
          {"model", {{"encoder", stack}, {"decoder", stack}}}};
}

TEST(JoeynmtOptions, AreThoseOfTheStacks) {
  const JoeynmtOptions made = parse_joeynmt_options(config());
  EXPECT_EQ(made.model.encoder_layers, 6);
  EXPECT_EQ(made.model.norm, "post");
  EXPECT_EQ(made.model.activation, "relu");
  EXPECT_EQ(made.model.dropout, 0.3);
  EXPECT_TRUE(made.source.scales_embeddings);
  EXPECT_EQ(made.source.subword_file, "codes.txt");
  EXPECT_EQ(made.source.prepared_by, "tokenizes by Moses, lower-cases");
  EXPECT_EQ(made.target.subword_file, "");
  EXPECT_EQ(made.unknown, "<unk>");
}

TEST(JoeynmtOptions, ThatDietmtLacksAreNamed) {
  const auto failure_with = [](const char* path, const json& value) {
    json settings = config();
    settings[json::json_pointer(path)] = value;
    return failure<CheckpointError>([&] { parse_joeynmt_options(settings); });
  };
  EXPECT_EQ(failure_with("/model/encoder/alpha", 1.0), "succeeded");
  EXPECT_THAT(failure_with("/model/encoder/alpha", 1.5), HasSubstr("encoder: alpha is 1.5"));
  EXPECT_THAT(failure_with("/model/decoder/type", "recurrent"),
              HasSubstr("decoder: type is 'recurrent'; only 'transformer'"));
  EXPECT_THAT(failure_with("/model/decoder/layer_norm", "pre"),
              HasSubstr("layer_norm of the encoder differs from the decoder's"));
  EXPECT_THAT(failure_with("/model/encoder/layer_norm", nullptr),
              HasSubstr("encoder: layer_norm is ''; add the place"));
  EXPECT_THAT(failure_with("/model/encoder/activation", "tanh"), HasSubstr("'tanh'"));
  EXPECT_THAT(failure_with("/data/trg/level", "char"), HasSubstr("trg: level is 'char'"));
  EXPECT_THAT(failure_with("/data/special_symbols", {{"lang_tags", {"<de>"}}}),
              HasSubstr("lang_tags"));
  EXPECT_THAT(failure_with("/data/src/tokenizer_cfg/separator", "##"),
              HasSubstr("separator is '##'"));
  EXPECT_THAT(failure_with("/model/encoder/hidden_size", "wide"),
              HasSubstr("hidden_size is \"wide\""));
}

}  // namespace
}  // namespace dietmt::interchange
