// Heads with different encodings.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

#include "tests/encoders/position/encoding_run.h"

namespace dietmt::encoders {
namespace {

/// Compares the heads of a mix with each encoding by itself, using its parameters from the mix.
void check_mix(const std::string& spec, AttentionSite site,
               const std::map<std::string, std::vector<int64_t>>& parts) {
  const auto mix = make_scheme(spec, site);
  const bool causal = site == AttentionSite::kDecoder;
  const Packing packing({13, 4});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  for (const Backend backend : {Backend::kReference, Backend::kSdpa}) {
    const Setting setting{.backend = backend, .causal = causal};
    const at::Tensor mixed = attend_with(*mix, inputs, packing, packing, setting);
    for (const auto& [part, heads] : parts) {
      EncodingContext own = context(site);
      own.heads = static_cast<int64_t>(heads.size());
      PositionScheme alone(part, own);
      alone.to(at::kDouble);
      const std::string name = alone.named_children().keys().front();
      const auto source =
          mix->named_children()[name + "_" + std::to_string(heads.front())]->parameters();
      const auto target = alone.parameters();
      ASSERT_EQ(source.size(), target.size());
      {
        const torch::NoGradGuard no_grad;
        for (size_t i = 0; i < source.size(); ++i) target[i].copy_(source[i]);
      }
      const at::Tensor index = at::tensor(heads);
      const auto select = [&](const at::Tensor& x) { return x.index_select(1, index); };
      const Inputs own_inputs{select(inputs.q), select(inputs.k), select(inputs.v)};
      EXPECT_LE(
          largest_gap(attend_with(alone, own_inputs, packing, packing, setting), select(mixed)),
          1e-13)
          << part;
    }
  }
}

TEST(HeadMix, EqualsSeparateRuns) {
  check_mix(
      "heads[diet-rel(clip=6):0,3,shaw(clip=2,share=none):1,t5(scaled=false):2]",
      AttentionSite::kEncoder,
      {{"diet-rel(clip=6)", {0, 3}}, {"shaw(clip=2,share=none)", {1}}, {"t5(scaled=false)", {2}}});
  check_mix("heads[rope:0,3,rope(pairs=halves):1,bert-a-d:2]", AttentionSite::kEncoder,
            {{"rope", {0, 3}}, {"rope(pairs=halves)", {1}}, {"bert-a-d", {2}}});
  check_mix("heads[tupe-r:0-1,transformer-xl:2,diet-abs(rank=3):3]", AttentionSite::kEncoder,
            {{"tupe-r", {0, 1}}, {"transformer-xl", {2}}, {"diet-abs(rank=3)", {3}}});
  check_mix("heads[deberta(span=3):0,2,relative-key-query(clip=5):1,fire:3]",
            AttentionSite::kEncoder,
            {{"deberta(span=3)", {0, 2}}, {"relative-key-query(clip=5)", {1}}, {"fire", {3}}});
  check_mix(
      "heads[cope(positions=3):0,xpos:1,cope(positions=6):2,kerple:3]", AttentionSite::kDecoder,
      {{"cope(positions=3)", {0}}, {"xpos", {1}}, {"cope(positions=6)", {2}}, {"kerple", {3}}});
}

/// A mix of tables that layers share is itself shared.
TEST(HeadMix, LayersShareWhatTheirPartsShare) {
  const auto mix =
      make_scheme("heads[diet-abs(share=layers):0-1,tupe-a:2,diet-rel:3]", AttentionSite::kEncoder);
  const auto layers = mix->lower({6, 6}, at::empty({0}, at::kDouble));
  for (at::Tensor ScoreTerms::*table : {&ScoreTerms::position_bias, &ScoreTerms::query_features}) {
    ASSERT_TRUE((layers[0].*table).defined());
    EXPECT_TRUE((layers[0].*table).is_same(layers[1].*table));
  }
  EXPECT_FALSE(layers[0].offset_bias.is_same(layers[1].offset_bias));
}

}  // namespace
}  // namespace dietmt::encoders
