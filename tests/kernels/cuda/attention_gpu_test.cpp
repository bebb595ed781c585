#include <gtest/gtest.h>

#include "tests/kernels/attention_case.h"
#include "tests/kernels/cuda/runner.h"

namespace dietmt::kernels {
namespace {

TEST(AttentionGpuTest, RunsGiveTheSameBits) {
  const std::string reason = reason_not_to_run();
  if (!reason.empty()) GTEST_SKIP() << reason;
  const AttentionCaseOptions options{.name = "all_terms",
                                     .terms = kAllTerms,
                                     .queries = {1, 7, 97, 200, 64},
                                     .dropout = 0.1,
                                     .heads = 8};
  std::vector<NamedValues> first;
  for (int repetition = 0; repetition < 5; ++repetition) {
    Arena arena(allocate_shared);
    AttentionCase attention(options, arena);
    run_attention(attention.backward());
    const auto results = attention.results();
    if (repetition == 0) first = results;
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i].values, first[i].values) << results[i].name;
    }
  }
}

}  // namespace
}  // namespace dietmt::kernels
