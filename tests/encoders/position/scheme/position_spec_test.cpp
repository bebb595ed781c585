#include "encoders/position/scheme/position_spec.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/scheme/position_scheme.h"

namespace dietmt::encoders {
namespace {

EncodingContext eight_heads(AttentionSite site = AttentionSite::kEncoder) {
  return {.site = site,
          .layers = 2,
          .heads = 8,
          .head_width = 4,
          .model_width = 32,
          .max_positions = 16,
          .segments = 2};
}

std::string canonical(const std::string& spec) {
  return PositionScheme(spec, eight_heads()).spec();
}

std::string problem(const std::string& spec, AttentionSite site = AttentionSite::kEncoder) {
  try {
    PositionScheme scheme(spec, eight_heads(site));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PositionSpec, CanonicalFormLeavesOutDefaultsAndSorts) {
  const std::pair<std::string, std::string> cases[] = {
      {"none", "none"},
      {"sinusoidal(layout=interleaved)", "sinusoidal"},
      {"sinusoidal( layout = halves )", "sinusoidal(layout=halves)"},
      {"diet-rel(clip=none,share=none)", "diet-rel"},
      {"shaw(clip=016)", "shaw"},
      {"rope(factor=02)", "rope(factor=2)"},
      {"diet-rel + learned", "learned+diet-rel"},
      {"shaw(share=none,values=false,clip=16)", "shaw(values=false,share=none)"},
      {"t5(distance=64)", "t5(distance=64)"},
      {"heads[shaw:6-7,diet-rel:0-5]", "heads[diet-rel:0-5,shaw:6-7]"},
      {"heads[diet-rel:7,0,2,1,3-5,none:6]", "heads[diet-rel:0-5,7,none:6]"},
      {"heads[t5:0-7]", "t5"},
      {"heads[none:0-7]", "none"},
      {"learned+heads[none:0-7]+segments", "learned+segments"},
      {"heads[t5:0-3,diet-rel:4-7]+sinusoidal", "sinusoidal+heads[t5:0-3,diet-rel:4-7]"},
      {"segments(share=none)+alibi+learned", "learned+alibi+segments"},
      {"segments+heads[rope:4-7,none:0-3]", "heads[none:0-3,rope:4-7]+segments"},
      {"diet-abs(rank=head-width)", "diet-abs"},
      {"diet-abs(share=layers,rank=128)", "diet-abs(rank=128,share=layers)"},
      {"sinusoidal+learned+learnable-sinusoidal", "sinusoidal+learned+learnable-sinusoidal"},
  };
  for (const auto& [written, expected] : cases) {
    EXPECT_EQ(canonical(written), expected);
    EXPECT_EQ(canonical(expected), expected);
  }
}

std::string names_at(AttentionSite site) {
  std::string names;
  for (const EncodingRow& row : encoding_table())
    if (row.sites.contains(site)) names += (names.empty() ? "" : ", ") + row.name;
  return names;
}

TEST(PositionSpec, ErrorsPointAtTheColumnAndListWhatIsPossible) {
  const std::string names = names_at(AttentionSite::kEncoder);
  EXPECT_TRUE(names.starts_with("none, sinusoidal, learned, learnable-sinusoidal, input-segments"));
  const std::string list = " 'dietmt inspect positions --list' shows all";
  const std::pair<std::string, std::string> cases[] = {
      {"", "column 1: expected an encoding; possible: " + names},
      {"lerned", "column 1: no encoding 'lerned'; did you mean learned?" + list},
      {"learned+diet-real", "column 9: no encoding 'diet-real'; did you mean diet-rel?" + list},
      {"nonsense", "column 1: no encoding 'nonsense'; possible: " + names},
      {"learned+", "column 9: expected an encoding; possible: " + names},
      {"learned diet-rel", "column 9: expected '+' or the end"},
      {"learned(size=3)", "column 9: 'learned' has no option 'size'; it has no options"},
      {"shaw(clip=16,klip=3)",
       "column 14: 'shaw' has no option 'klip'; possible: clip, values, tied, share, cls"},
      {"shaw(clip=8,clip=16)", "column 13: 'clip' has a value already"},
      {"shaw(clip)",
       "column 10: expected '=' and a value of 'clip': a whole number from 1 to 1048576"},
      {"shaw(clip=0)",
       "column 11: '0' is not a value of 'clip'; possible: a whole number from 1 to 1048576"},
      {"shaw(clip=1x)",
       "column 11: '1x' is not a value of 'clip'; possible: a whole number from 1 to 1048576"},
      {"diet-rel(clip=all)",
       "column 15: 'all' is not a value of 'clip'; possible: none|a whole number from 1 to "
       "1048576"},
      {"diet-rel(share=head)",
       "column 16: 'head' is not a value of 'share'; possible: none|layers|heads|all"},
      {"shaw(clip=2", "column 12: expected ')' after the options of 'shaw'"},
      {"shaw(values=false,tied=true)", "column 1: 'shaw': tied=true needs values=true"},
      {"t5(buckets=33)", "column 1: 't5': buckets must be even"},
      {"t5(distance=8)",
       "column 1: 't5': distance must exceed 8, the number of distances with their own bucket"},
      {"learned+learned", "column 9: 'learned' is given twice"},
      {"none+diet-rel",
       "column 1: 'none' cannot be combined with other encodings outside heads[...]"},
      {"diet-rel+shaw", "column 10: head 0 is claimed by 'diet-rel' and by 'shaw'"},
      {"heads[diet-rel:0-5,shaw:5-7]", "column 20: head 5 is claimed by 'diet-rel' and by 'shaw'"},
      {"heads[diet-rel:0-7,3]", "column 7: head 3 is claimed by 'diet-rel' and by 'diet-rel'"},
      {"heads[diet-rel:0-5,shaw:7]",
       "column 27: head 6 belongs to no encoding; give it to one, or to 'none'"},
      {"heads[diet-rel:0-8]", "column 18: expected a head from 0 to 7"},
      {"heads[diet-rel:5-3]", "column 16: a range of heads must run upwards"},
      {"heads[diet-rel]", "column 15: expected ':' and the heads of 'diet-rel'"},
      {"heads[diet-rel:0-7", "column 19: expected ']' after the items of heads[ in column 1"},
      {"heads[learned:0-7]",
       "column 7: 'learned' acts on the embeddings, not on heads; write learned+heads[...]"},
      {"heads[segments:0-7]", "column 7: 'segments' acts on all heads; write segments+heads[...]"},
      {"heads[linformer:0-3,none:4-7]",
       "column 7: 'linformer' cannot own only some of the heads: it compresses the keys of all "
       "heads"},
      {"heads[bert-r:0-7]",
       "column 7: 'bert-r' cannot own only some of the heads: it also adds to the embeddings; "
       "write "
       "learned+heads[diet-rel(share=layers):...]"},
      {"linformer+segments",
       "column 11: 'segments' cannot be combined with 'linformer', which compresses the keys; use "
       "--segment-encoding input"},
      {"segments+diet-abs-lin",
       "column 1: 'segments' cannot be combined with 'diet-abs-lin', which compresses the keys; "
       "use --segment-encoding input"},
      {"tupe-r(buckets=none,distance=4)", "column 1: 'tupe-r': 'distance' needs buckets"},
      {"tupe-r(factors=true)", "column 1: 'tupe-r': factors=true needs buckets=none"},
      {"bert-r(distance=4)", "column 1: 'bert-r': 'distance' needs buckets"},
      {"learned+t5(cls=auto)", "column 16: 'auto' is not a value of 'cls'; possible: tied|untied"},
      {"diet-rel+segments+segments", "column 19: 'segments' is given twice"},
      {"rope(pairs=both)",
       "column 12: 'both' is not a value of 'pairs'; possible: interleaved|halves"},
      {"xpos", "column 1: 'xpos' is not defined for encoders; possible: " + names},
  };
  for (const auto& [spec, expected] : cases)
    EXPECT_EQ(problem(spec), "position encoding \"" + spec + "\", " + expected);
}

TEST(PositionSpec, CrossAttentionTakesWhatIsDefinedThere) {
  EXPECT_EQ(problem("none", AttentionSite::kCross), "no error");
  EXPECT_EQ(problem("diet-rel(share=heads)", AttentionSite::kCross), "no error");
  EXPECT_EQ(problem("shaw", AttentionSite::kCross),
            "position encoding \"shaw\", column 1: 'shaw' is not defined for cross-attention; "
            "possible: " +
                names_at(AttentionSite::kCross));
  EXPECT_TRUE(names_at(AttentionSite::kCross).starts_with("none, diet-rel, diet-abs"));
}

TEST(PositionSpec, CausalAttentionRefusesCompressedKeys) {
  const std::string message = problem("linformer", AttentionSite::kDecoder);
  EXPECT_EQ(
      message.find("position encoding \"linformer\", column 1: 'linformer' is not defined for "
                   "the causal self-attention of a decoder (--decoder-position); possible: none, "
                   "sinusoidal"),
      0)
      << message;
  EXPECT_EQ(problem("tupe-a(cls=untied)", AttentionSite::kDecoder),
            "position encoding \"tupe-a(cls=untied)\", column 1: 'tupe-a': cls=untied needs an "
            "encoder: later words are hidden from position 0");
}

TEST(PositionSpec, OnlyEncodersUntieTheSummaryToken) {
  EXPECT_EQ(problem("diet-rel(cls=untied)"), "no error");
  EXPECT_EQ(problem("t5(cls=untied)", AttentionSite::kDecoder),
            "position encoding \"t5(cls=untied)\", column 1: 't5': cls=untied needs an encoder: "
            "later words are hidden from position 0");
  EXPECT_EQ(problem("diet-abs(cls=untied)", AttentionSite::kCross),
            "position encoding \"diet-abs(cls=untied)\", column 1: 'diet-abs': cls=untied needs "
            "self-attention, where queries and keys have a [CLS]");
  EXPECT_EQ(problem("diet-abs(cls=tied)", AttentionSite::kCross), "no error");
}

TEST(PositionSpec, VectorsAreUntiedOnlyFromASummaryToken) {
  EXPECT_EQ(
      problem("learned+shaw(cls=untied)"),
      "position encoding \"learned+shaw(cls=untied)\", column 9: 'shaw': its cls=untied needs "
      "a model whose inputs start with [CLS], such as BERT");
  EXPECT_EQ(problem("deberta(cls=untied)", AttentionSite::kDecoder),
            "position encoding \"deberta(cls=untied)\", column 1: 'deberta': cls=untied needs an "
            "encoder: later words are hidden from position 0");
  EncodingContext bert = eight_heads();
  bert.starts_with_summary = true;
  EXPECT_EQ(PositionScheme("shaw(cls=untied,clip=16)", bert).spec(), "shaw(cls=untied)");
}

TEST(PositionSpec, XposTakesOnlyPositionsWhoseDecayFp32Holds) {
  EncodingContext context = eight_heads(AttentionSite::kDecoder);
  context.max_positions = 56;
  try {
    PositionScheme("xpos(scale=1)", context);
    FAIL() << "56 positions were accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "position encoding \"xpos(scale=1)\", column 1: 'xpos': fp32 holds the decay of "
                 "scale=1 for 55 positions, but --max-positions is 56: use a larger scale or fewer "
                 "positions");
  }
  context.max_positions = 55;
  const PositionScheme scheme("xpos(scale=1)", context);
  EXPECT_EQ(scheme.max_length(), 55);
  const at::Tensor like = at::zeros({1});
  const ScoreTerms terms = scheme.lower({.queries = 55, .keys = 55}, like).front();
  EXPECT_GT((terms.query_cosines.abs() + terms.query_sines.abs()).amin().item<double>(), 1e-31);
  EXPECT_LT(terms.key_cosines.abs().amax().item<double>(), 1e31);
  EXPECT_THROW(scheme.lower({.queries = 56, .keys = 56}, like), Error);
}

TEST(PositionSpec, SegmentsNeedAModelWithSegments) {
  EncodingContext without = eight_heads();
  without.segments = 0;
  for (const std::string spec : {"segments", "input-segments"})
    EXPECT_THROW(PositionScheme(spec, without), ConfigError);
}

TEST(PositionSpec, HelpNamesEveryEncodingAndOption) {
  const std::string help = position_help({eight_heads()});
  for (const EncodingRow& row : encoding_table()) {
    EXPECT_NE(help.find("\n  " + row.name + "\n"), std::string::npos) << row.name;
    EXPECT_NE(help.find(row.formula), std::string::npos) << row.name;
    for (const EncodingOption& option : row.options)
      EXPECT_NE(help.find(option.name + "=" + option.default_value), std::string::npos)
          << row.name << " " << option.name;
  }
}

TEST(PositionSpec, LongerInputsThanLearnedPositionsAreRefused) {
  const PositionScheme scheme("learned+diet-rel", eight_heads());
  EXPECT_EQ(scheme.max_length(), 16);
  const at::Tensor x = at::zeros({1, 32});
  EXPECT_NO_THROW(scheme.embed(x, at::tensor({15})));
  try {
    scheme.embed(x, at::tensor({16}));
    FAIL() << "position 16 was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "position encoding 'learned' has no position 16: it was built for sentences of up "
                 "to 16 tokens");
  }
}

}  // namespace
}  // namespace dietmt::encoders
