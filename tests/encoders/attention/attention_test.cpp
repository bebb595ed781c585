// Attention between two sequences, dropout, and the choice of a backend.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "common/error.h"
#include "tests/encoders/position/encoding_run.h"

namespace dietmt::encoders {
namespace {

TEST(CrossAttention, SdpaEqualsReference) {
  const Packing queries({4, 9, 1});
  const Packing keys({11, 2, 7});
  const Inputs inputs = make_inputs(queries.tokens(), keys.tokens());
  for (const std::string spec :
       {"none", "diet-rel", "diet-rel(clip=3,share=heads)", "diet-abs",
        "diet-abs(rank=3,share=all)", "linformer(length=5)",
        "linformer(length=5,share=none,tied=true)", "diet-abs-lin(length=4)"}) {
    const auto scheme = make_scheme(spec, AttentionSite::kCross);
    const auto wanted = output_and_gradients(*scheme, inputs, queries, keys, {});
    const auto actual =
        output_and_gradients(*scheme, inputs, queries, keys, {.backend = Backend::kSdpa});
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_LE(largest_gap(actual[i], wanted[i]), 1e-12) << spec << ", tensor " << i;
  }
}

// A table may be larger than the batch needs.
TEST(SdpaAttention, TakesTheStartOfALargerPositionBias) {
  const Packing queries({4, 9, 1});
  const Packing keys({11, 2, 7});
  at::manual_seed(4);
  const auto random = [](int64_t tokens) { return at::randn({tokens, kRunHeads, kRunHeadWidth}); };
  ScoreTerms terms;
  terms.position_bias = at::randn({kRunHeads, 12, 16});
  terms.content_scale = std::vector<double>(kRunHeads, 0.5);
  const AttentionCall call{.queries = random(14),
                           .keys = random(20),
                           .values = random(20),
                           .query_packing = queries,
                           .key_packing = keys,
                           .terms = terms};
  EXPECT_LE(largest_gap(attend(call, Backend::kSdpa), attend(call, Backend::kReference)), 1e-5);
}

// As in training with bf16 on a device, where autocast converts nothing.
TEST(ReferenceAttention, TakesTermsInFp32BesideValuesInBf16) {
  const Packing packing({4, 9, 1});
  at::manual_seed(4);
  const auto random = [&] { return at::randn({packing.tokens(), kRunHeads, kRunHeadWidth}); };
  const at::Tensor q = random(), k = random(), v = random();
  for (const std::string spec : {"none", "diet-rel", "shaw"}) {
    const auto scheme = make_scheme(spec, AttentionSite::kEncoder);
    scheme->to(at::kFloat);
    const ScoreTerms terms = scheme->lower({9, 9}, q)[0];
    const auto run = [&](at::ScalarType type) {
      return attend({.queries = q.to(type),
                     .keys = k.to(type),
                     .values = v.to(type),
                     .query_packing = packing,
                     .key_packing = packing,
                     .terms = terms},
                    Backend::kReference);
    };
    const at::Tensor found = run(at::kBFloat16);
    EXPECT_EQ(found.scalar_type(), at::kBFloat16) << spec;
    EXPECT_LE(largest_gap(found.to(at::kFloat), run(at::kFloat)), 0.05) << spec;
  }
}

TEST(AttentionDropout, DependsOnlyOnTheKey) {
  const Packing packing({20, 20});
  const Inputs inputs = make_inputs(packing.tokens(), packing.tokens());
  const auto scheme = make_scheme("diet-rel", AttentionSite::kEncoder);
  const auto run = [&](double dropout, uint64_t key) {
    return attend_with(*scheme, inputs, packing, packing,
                       {.backend = Backend::kSdpa, .dropout = dropout, .pass_key = key});
  };
  EXPECT_TRUE(at::equal(run(0.3, 5), run(0.3, 5)));
  EXPECT_GT(largest_gap(run(0.3, 5), run(0.3, 6)), 0.01);
  EXPECT_GT(largest_gap(run(0.3, 5), run(0.0, 5)), 0.01);
}

TEST(Backend, NamesAndReasons) {
  EXPECT_EQ(parse_backend("auto"), Backend::kAuto);
  EXPECT_EQ(parse_backend("sdpa"), Backend::kSdpa);
  EXPECT_EQ(parse_backend("reference"), Backend::kReference);
  try {
    parse_backend("cudnn");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(
        error.what(),
        "no attention backend 'cudnn'; possible: auto, cpu, hopper, cuda, sdpa, reference");
  }
  const Packing packing({2});
  const Inputs inputs = make_inputs(2, 2);
  ScoreTerms terms;
  terms.content_scale = {1.0};
  terms.segment_bias = at::zeros({1, 2, 2}, at::kDouble);
  const AttentionCall call{.queries = inputs.q,
                           .keys = inputs.k,
                           .values = inputs.v,
                           .query_packing = packing,
                           .key_packing = packing,
                           .terms = terms};
  EXPECT_EQ(reasons_against(Backend::kSdpa, call),
            std::vector<std::string>{"a segment bias needs self-attention with segments"});
  EXPECT_THROW(attend(call, Backend::kAuto), ConfigError);
}

/// No fused kernel supports contextual positions: they say why, and `auto` picks another backend.
TEST(Backend, ContextualPositionsFallThrough) {
  const auto scheme = make_scheme("cope(positions=4)", AttentionSite::kDecoder);
  scheme->to(at::kFloat);
  const Packing packing({5, 2});
  const Inputs doubles = make_inputs(7, 7);
  const Inputs inputs{doubles.q.to(at::kFloat), doubles.k.to(at::kFloat), doubles.v.to(at::kFloat)};
  const ScoreTerms terms = scheme->lower({5, 5}, inputs.q)[0];
  const AttentionCall call{.queries = inputs.q,
                           .keys = inputs.k,
                           .values = inputs.v,
                           .query_packing = packing,
                           .key_packing = packing,
                           .terms = terms,
                           .causal = true};
  EXPECT_EQ(reasons_against(Backend::kCpu, call),
            std::vector<std::string>{"contextual positions need whole rows of scores"});
  EXPECT_LE(largest_gap(attend(call, Backend::kAuto), attend(call, Backend::kReference)), 2e-6);
}

}  // namespace
}  // namespace dietmt::encoders
