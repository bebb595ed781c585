// The sm_90a kernels compared with the definition in double: every result within twice the error of
// a plain implementation in the same precision.
#include <gtest/gtest.h>

#include "tests/kernels/attention_case.h"
#include "tests/kernels/attention_reference.h"
#include "tests/kernels/cuda/sm90/runner.h"
#include "tests/kernels/largest_error.h"

namespace dietmt::kernels {
namespace {

class Sm90AttentionTest : public testing::TestWithParam<AttentionCaseOptions> {
 protected:
  void SetUp() override {
    const std::string reason = reason_not_to_run();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_P(Sm90AttentionTest, StaysWithinTwiceTheErrorOfAPlainImplementation) {
  Arena arena(allocate_shared);
  AttentionCase attention(GetParam(), arena);
  run_warpgroup_attention(attention.backward());
  const auto results = attention.results();
  const auto exact = attention_reference(attention, ElementType::kFloat);
  const auto plain = attention_reference(attention, GetParam().type);
  for (size_t i = 0; i < results.size(); ++i) {
    SCOPED_TRACE(results[i].name);
    ASSERT_EQ(results[i].name, exact[i].name);
    const double allowed = largest_error(plain[i].values, exact[i].values);
    const double size = largest_error(exact[i].values, std::vector<double>(exact[i].values.size()));
    EXPECT_LE(largest_error(results[i].values, exact[i].values), 2.0 * allowed + 1e-5 * (1 + size));
    EXPECT_GT(size, 0.0);
  }
}

std::vector<NamedValues> results_of(const AttentionCaseOptions& options) {
  Arena arena(allocate_shared);
  AttentionCase attention(options, arena);
  run_warpgroup_attention(attention.backward());
  return attention.results();
}

// As in a CUDA graph captured with longer sentences: only the device knows the lengths.
TEST(Sm90AttentionRunsTest, LengthsComeFromTheDevice) {
  const std::string reason = reason_not_to_run();
  if (!reason.empty()) GTEST_SKIP() << reason;
  AttentionCaseOptions options{
      .name = "lengths", .terms = kOffsetBias, .queries = {100, 20}, .heads = 1};
  const auto wanted = results_of(options);
  Arena arena(allocate_shared);
  options.queries = {300, 40};
  AttentionCase attention(options, arena);
  AttentionBackward call = attention.backward();
  AttentionSizes& sizes = call.forward.sizes;
  fill_inputs_with_nan(call, 120, 220);
  for (const DeviceOffsets& offsets : {sizes.device_query_offsets, sizes.device_key_offsets}) {
    auto* const begins = const_cast<int64_t*>(offsets.data);
    begins[1] = 100;
    begins[2] = 120;
  }
  for (const DeviceTiles& tiles :
       {sizes.device_query_tiles.single, sizes.device_key_tiles.single}) {
    ASSERT_EQ(tiles.count, 4);
    const TileOfSentence list[] = {{0, 0}, {1, 0}, {0, 1}, {0, 2}};  // two of them are empty
    std::copy_n(list, 4, const_cast<TileOfSentence*>(tiles.data));
  }
  sizes.query_offsets = {};
  sizes.key_offsets = {};
  run_warpgroup_attention(call);
  const auto results = attention.results();
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(results[i].values, wanted[i].values) << wanted[i].name;
  }
}

TEST(Sm90AttentionRunsTest, RunsGiveTheSameBits) {
  const std::string reason = reason_not_to_run();
  if (!reason.empty()) GTEST_SKIP() << reason;
  for (const int64_t width : {64, 128}) {
    const AttentionCaseOptions options{.name = "bits",
                                       .width = width,
                                       .terms = kOffsetBias,
                                       .queries = {1, 7, 97, 200, 64},
                                       .dropout = 0.1,
                                       .heads = 4};
    const auto first = results_of(options);
    for (int repetition = 0; repetition < 2; ++repetition) {
      const auto again = results_of(options);
      for (size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(again[i].values, first[i].values) << first[i].name;
      }
    }
  }
}

std::vector<AttentionCaseOptions> make_cases() {
  std::vector<AttentionCaseOptions> cases;
  for (const int64_t width : {40, 64, 104, 128}) {
    const std::string suffix = std::to_string(width);
    cases.push_back({.name = "plain_" + suffix, .width = width});
    cases.push_back({.name = "offset_bias_" + suffix, .width = width, .terms = kOffsetBias});
  }
  cases.push_back({.name = "fp16", .type = ElementType::kHalf});
  cases.push_back(
      {.name = "fp16_wide", .type = ElementType::kHalf, .width = 128, .terms = kOffsetBias});
  cases.push_back({.name = "dropout", .queries = {70, 130}, .dropout = 0.3});
  cases.push_back({.name = "shared_bias", .terms = kOffsetBias, .shared_tables = true});
  cases.push_back({.name = "bias_beyond_clip", .terms = kOffsetBias, .queries = {200}, .clip = 90});
  cases.push_back({.name = "causal", .queries = {64, 1, 200, 65}, .causal = true});
  cases.push_back({.name = "causal_bias",
                   .width = 128,
                   .terms = kOffsetBias,
                   .queries = {130, 64},
                   .causal = true,
                   .dropout = 0.1});
  cases.push_back({.name = "cross", .queries = {5, 170, 1}, .keys = {66, 3, 129}});
  cases.push_back({.name = "causal_cross", .queries = {66, 3}, .keys = {5, 170}, .causal = true});
  cases.push_back({.name = "no_keys", .queries = {5, 9}, .keys = {0, 4}});
  cases.push_back({.name = "ring_of_stages", .queries = {520}, .heads = 1});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, Sm90AttentionTest, testing::ValuesIn(make_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace dietmt::kernels
