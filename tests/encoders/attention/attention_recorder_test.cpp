#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "common/error.h"
#include "encoders/attention/attention.h"
#include "tests/encoders/position/encoding_run.h"

namespace dietmt::encoders {
namespace {

TEST(AttentionRecorder, ProbabilitiesTimesValuesAreTheOutput) {
  const torch::NoGradGuard no_grad;
  const Packing queries({6});
  for (const std::string spec : {"none", "diet-rel", "diet-abs", "rope", "t5", "cope"}) {
    for (const bool causal : {false, true}) {
      const auto scheme = make_scheme(spec, AttentionSite::kDecoder);
      const Inputs inputs = make_inputs(6, 6);
      const ScoreTerms terms = scheme->lower({6, 6}, inputs.q)[0];
      const AttentionCall call{.queries = inputs.q,
                               .keys = inputs.k,
                               .values = inputs.v,
                               .query_packing = queries,
                               .key_packing = queries,
                               .terms = terms,
                               .causal = causal};
      const AttentionRecorder recorder;
      const at::Tensor output = attend(call, Backend::kSdpa);
      attend(call, Backend::kReference);
      ASSERT_EQ(recorder.probabilities().size(), 2U);
      const at::Tensor p = recorder.probabilities()[0];
      EXPECT_TRUE(at::equal(p, recorder.probabilities()[1]));
      EXPECT_LE(largest_gap(p.sum(-1), at::ones_like(p.sum(-1))), 1e-12) << spec;
      EXPECT_LE(largest_gap(at::matmul(p, inputs.v.transpose(0, 1)).transpose(0, 1), output), 1e-12)
          << spec << (causal ? ", causal" : "");
      EXPECT_EQ(causal, at::equal(p, p.tril()));
    }
  }
}

TEST(AttentionRecorder, RecordsOnlyWhileItLives) {
  EXPECT_EQ(AttentionRecorder::current(), nullptr);
  {
    const AttentionRecorder recorder;
    EXPECT_EQ(AttentionRecorder::current(), &recorder);
  }
  EXPECT_EQ(AttentionRecorder::current(), nullptr);
}

TEST(AttentionRecorder, CompressedKeysAreNoTokens) {
  const torch::NoGradGuard no_grad;
  const Packing packing({6});
  const auto scheme = make_scheme("linformer(length=3)", AttentionSite::kEncoder);
  const Inputs inputs = make_inputs(6, 6);
  const ScoreTerms terms = scheme->lower({6, 6}, inputs.q)[0];
  const AttentionRecorder recorder;
  attend({.queries = inputs.q,
          .keys = inputs.k,
          .values = inputs.v,
          .query_packing = packing,
          .key_packing = packing,
          .terms = terms},
         Backend::kReference);
  ASSERT_EQ(recorder.probabilities().size(), 1U);
  EXPECT_FALSE(recorder.probabilities()[0].defined());
}

}  // namespace
}  // namespace dietmt::encoders
