// The options of fairseq in both of their forms.
#include "interchange/fairseq/fairseq_options.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/interchange/cases.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json flat() {
  return {{"arch", "transformer_wmt_en_de"},
          {"source_lang", "en"},
          {"target_lang", "de"},
          {"encoder_layers", 12},
          {"decoder_layers", 2},
          {"encoder_embed_dim", 16},
          {"decoder_embed_dim", 16},
          {"encoder_ffn_embed_dim", 32},
          {"decoder_ffn_embed_dim", 64},
          {"encoder_attention_heads", 4},
          {"decoder_attention_heads", 4},
          {"adaptive_softmax_cutoff", nullptr}};
}

TEST(FairseqOptions, AreReadFromBothForms) {
  json grouped = {
      {"task", {{"source_lang", "en"}, {"target_lang", "de"}, {"_name", "translation"}}},
      {"model",
       {{"_name", "transformer_wmt_en_de"},
        {"encoder", {{"layers", 12}, {"embed_dim", 16}}},
        {"decoder", {{"layers", 2}, {"embed_dim", 16}}}}}};
  for (const auto& [stack, width] : {std::pair("encoder", 32), std::pair("decoder", 64)}) {
    grouped["model"][stack]["ffn_embed_dim"] = width;
    grouped["model"][stack]["attention_heads"] = 4;
  }
  for (const json& options : {flat(), grouped}) {
    const FairseqOptions made = parse_fairseq_model(options);
    EXPECT_EQ(made.source_language + made.target_language, "ende");
    EXPECT_EQ(made.model.encoder_layers, 12);
    EXPECT_EQ(made.model.decoder_layers, 2);
    EXPECT_EQ(made.model.feed_forward, 64);
    EXPECT_EQ(made.model.norm, "post");
    EXPECT_EQ(made.model.encoder_position, "sinusoidal(layout=halves,start=2)");
    EXPECT_TRUE(made.scales_embeddings);
  }
}

TEST(FairseqOptions, ThatDietmtLacksAreNamed) {
  const auto failure_with = [](const char* name, const json& value) {
    json options = flat();
    options[name] = value;
    return failure<CheckpointError>([&] { parse_fairseq_model(options); });
  };
  EXPECT_EQ(failure_with("no_token_positional_embeddings", true), "succeeded");
  EXPECT_THAT(failure_with("arch", "lightconv_wmt_en_de"), HasSubstr("'lightconv_wmt_en_de'"));
  EXPECT_THAT(failure_with("arch", "transformer_lm_gpt"), HasSubstr("'transformer_lm_gpt'"));
  EXPECT_THAT(failure_with("activation_fn", "tanh"), HasSubstr("activation_fn is 'tanh'"));
  EXPECT_THAT(failure_with("no_decoder_final_norm", true), HasSubstr("no_decoder_final_norm"));
  EXPECT_THAT(failure_with("adaptive_softmax_cutoff", {1000}),
              HasSubstr("adaptive_softmax_cutoff"));
  EXPECT_THAT(failure_with("decoder_attention_heads", 8),
              HasSubstr("encoder_attention_heads differs from decoder_attention_heads"));
  EXPECT_THAT(failure_with("encoder_normalize_before", true),
              HasSubstr("encoder_normalize_before differs"));
  EXPECT_THAT(failure_with("decoder_output_dim", 8), HasSubstr("decoder_output_dim differs"));
  EXPECT_THAT(failure_with("encoder_layers", "six"), HasSubstr("encoder_layers is \"six\""));
  EXPECT_THAT(failure<CheckpointError>([] { parse_fairseq_model(json::array()); }),
              HasSubstr("unknown form"));
}

}  // namespace
}  // namespace dietmt::interchange
