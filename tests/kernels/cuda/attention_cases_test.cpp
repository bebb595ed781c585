// The attention kernels compared with the definition in double: every result within twice the error
// of a plain implementation in the same precision.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/attention_tables.h"
#include "tests/kernels/attention_case.h"
#include "tests/kernels/attention_reference.h"
#include "tests/kernels/cuda/runner.h"
#include "tests/kernels/largest_error.h"

namespace dietmt::kernels {
namespace {

// One fp32 rounding of sums, which a plain implementation whose errors cancel may not have.
constexpr double kSingleRounding = 2e-6;

struct Errors {
  double largest = 0.0;
  double mean_square = 0.0;
};

Errors errors_of(const std::vector<double>& values, const std::vector<double>& exact) {
  Errors errors{largest_error(values, exact), 0.0};
  for (size_t i = 0; i < exact.size(); ++i) {
    const double error = values[i] == exact[i] ? 0.0 : std::fabs(values[i] - exact[i]);
    errors.mean_square += error * error / static_cast<double>(exact.size());
  }
  return errors;
}

double largest(const std::vector<double>& values) {
  double size = 0.0;
  for (const double value : values) {
    if (std::isfinite(value)) size = std::fmax(size, std::fabs(value));
  }
  return size;
}

class AttentionCasesTest : public testing::TestWithParam<AttentionCaseOptions> {
 protected:
  void SetUp() override {
    const std::string reason = reason_not_to_run();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_P(AttentionCasesTest, StaysWithinTwiceTheErrorOfAPlainImplementation) {
  Arena arena(allocate_shared);
  AttentionCase attention(GetParam(), arena);
  const std::string reason = reason_not_to_run(attention.backward().forward);
  if (!reason.empty()) GTEST_SKIP() << reason;
  EXPECT_EQ(packs_sentences(attention.forward()), GetParam().packed);
  run_attention(attention.backward());
  const auto results = attention.results();
  const auto exact = attention_reference(attention, ElementType::kFloat);
  const auto plain = attention_reference(attention, GetParam().type);
  for (size_t i = 0; i < results.size(); ++i) {
    SCOPED_TRACE(results[i].name);
    const Errors errors = errors_of(results[i].values, exact[i].values);
    const Errors allowed = errors_of(plain[i].values, exact[i].values);
    // In fp32 the plain implementation is the exact one.
    const double roundings = GetParam().type == ElementType::kFloat ? 2.0 : 1.0;
    const double rounding = roundings * kSingleRounding * (1.0 + largest(exact[i].values));
    EXPECT_LE(errors.largest, 2.0 * allowed.largest + rounding);
    EXPECT_LE(std::sqrt(errors.mean_square), 2.0 * std::sqrt(allowed.mean_square) + rounding);
    EXPECT_GT(largest(exact[i].values), 0.0);
  }
}

std::vector<AttentionCaseOptions> make_cases() {
  using enum ElementType;
  std::vector<AttentionCaseOptions> cases;
  for (const int64_t width : {32, 64, 96, 128}) {
    const std::string suffix = std::to_string(width);
    cases.push_back({.name = "bf16_plain_" + suffix, .width = width});
    cases.push_back({.name = "fp16_all_terms_" + suffix,
                     .type = kHalf,
                     .width = width,
                     .terms = kAllTerms,
                     .dropout = 0.2});
  }
  for (const auto& [name, term] : kNamedTerms) {
    cases.push_back({.name = name, .width = 32, .terms = term});
    cases.push_back(
        {.name = std::string(name) + "_shared", .width = 32, .terms = term, .shared_tables = true});
  }
  for (const int64_t width : {8, 40, 72, 112}) {
    const std::string suffix = std::to_string(width);
    cases.push_back({.name = "bf16_offset_bias_" + suffix, .width = width, .terms = kOffsetBias});
    cases.push_back({.name = "bf16_vectors_" + suffix,
                     .width = width,
                     .terms = kOffsetBias | kRelativeKeys | kRelativeQueries | kRelativeValues});
  }
  for (const int64_t width : {8, 64, 96, 128}) {
    const std::string suffix = std::to_string(width);
    cases.push_back({.name = "fp32_plain_" + suffix, .type = kFloat, .width = width});
    if (width != 8 && width != 128) continue;  // only these kernels exist
    cases.push_back({.name = "fp32_all_terms_" + suffix,
                     .type = kFloat,
                     .width = width,
                     .terms = kAllTerms,
                     .dropout = 0.2});
  }
  cases.push_back({.name = "fp32_many_tiles",
                   .type = kFloat,
                   .width = 64,
                   .queries = {4},
                   .keys = {2000},
                   .heads = 1});
  cases.push_back({.name = "fp32_causal",
                   .type = kFloat,
                   .width = 40,
                   .terms = kOffsetBias | kRelativeKeys,
                   .queries = {130, 64},
                   .causal = true,
                   .dropout = 0.1});
  const unsigned all_but_segments = kAllTerms - kSegmentBias;
  for (const auto& [name, terms] : {std::pair("idle_tiles", 0U), {"idle_tiles_all", kAllTerms}}) {
    cases.push_back({.name = name,
                     .width = 32,
                     .terms = terms,
                     .queries = {5, 130},
                     .causal = true,
                     .idle_tiles = 3});
  }
  cases.push_back({.name = "fp16_plain", .type = kHalf});
  cases.push_back({.name = "dropout", .dropout = 0.3});
  cases.push_back({.name = "pairs_in_rows_of_four",
                   .width = 64,
                   .terms = kPositionBias | kOffsetBias | kSegmentBias,
                   .queries = {1, 180, 97}});
  cases.push_back({.name = "wide_pairs",
                   .width = 128,
                   .terms = kPositionBias | kOffsetBias,
                   .queries = {130, 7},
                   .causal = true,
                   .dropout = 0.1});
  cases.push_back({.name = "wide_vectors",
                   .width = 128,
                   .terms = kRelativeKeys | kRelativeQueries | kRelativeValues,
                   .queries = {130, 7},
                   .causal = true,
                   .dropout = 0.1,
                   .clip = 150});
  cases.push_back({.name = "causal", .width = 32, .terms = kAllTerms, .causal = true});
  cases.push_back({.name = "causal_dropout",
                   .width = 32,
                   .terms = kOffsetBias,
                   .queries = {130, 64},
                   .causal = true,
                   .dropout = 0.1});
  cases.push_back({.name = "cross",
                   .width = 32,
                   .terms = all_but_segments,
                   .queries = {5, 70, 1},
                   .keys = {66, 3, 129}});
  cases.push_back({.name = "no_keys", .width = 32, .queries = {5, 9}, .keys = {0, 4}});
  cases.push_back({.name = "three_tiles",
                   .width = 32,
                   .terms = all_but_segments,
                   .queries = {190},
                   .heads = 1,
                   .clip = 3});
  cases.push_back({.name = "clip_beyond_tile",
                   .width = 32,
                   .terms = all_but_segments,
                   .queries = {150},
                   .heads = 1,
                   .clip = 70});
  cases.push_back({.name = "unclipped",
                   .width = 32,
                   .terms = all_but_segments,
                   .queries = {97},
                   .heads = 1,
                   .clip = 200});
  // A single entry for all offsets adds a constant to a query's scores in the other two tables, so
  // their exact gradient is zero and the result is only rounding.
  cases.push_back({.name = "clip_zero",
                   .width = 32,
                   .terms = kRelativeQueries | kRelativeValues,
                   .queries = {97},
                   .heads = 1,
                   .clip = 0,
                   .clip_step = 0});
  // Most tiles lie entirely beyond a table's clip.
  const unsigned vectors = kRelativeKeys | kRelativeQueries | kRelativeValues;
  for (const auto& [name, term] : kNamedTerms) {
    if ((term & vectors) == 0) continue;
    cases.push_back({.name = std::string("beyond_clip_") + name,
                     .width = 32,
                     .terms = term,
                     .queries = {260},
                     .heads = 1,
                     .clip = 2});
  }
  cases.push_back({.name = "beyond_clip_bf16",
                   .width = 64,
                   .terms = vectors | kOffsetBias,
                   .queries = {200, 3},
                   .dropout = 0.2,
                   .clip = 2,
                   .shared_tables = true});
  cases.push_back({.name = "beyond_clip_bf16_wide",
                   .width = 112,
                   .terms = vectors,
                   .queries = {190},
                   .heads = 1,
                   .clip = 2});
  cases.push_back({.name = "beyond_clip_fp16",
                   .type = kHalf,
                   .width = 32,
                   .terms = vectors,
                   .queries = {260},
                   .dropout = 0.2,
                   .heads = 1,
                   .clip = 2});
  cases.push_back({.name = "beyond_clip_fp32",
                   .type = kFloat,
                   .width = 64,
                   .terms = vectors,
                   .queries = {260},
                   .dropout = 0.2,
                   .heads = 1,
                   .clip = 2});
  cases.push_back({.name = "beyond_clip_causal",
                   .width = 32,
                   .terms = vectors,
                   .queries = {260},
                   .causal = true,
                   .heads = 1,
                   .clip = 2});
  cases.push_back({.name = "beyond_last_entry",
                   .width = 32,
                   .terms = vectors,
                   .queries = {5, 140},
                   .keys = {260, 1},
                   .heads = 1,
                   .clip = 2});
  cases.push_back({.name = "beyond_first_entry",
                   .width = 32,
                   .terms = vectors,
                   .queries = {260, 1},
                   .keys = {5, 140},
                   .heads = 1,
                   .clip = 2});
  cases.push_back({.name = "vectors_without_keys",
                   .width = 32,
                   .terms = vectors,
                   .queries = {200, 9},
                   .keys = {0, 200},
                   .heads = 1,
                   .clip = 2});
  // One table uses a single entry where another uses several.
  cases.push_back({.name = "clips_apart",
                   .width = 32,
                   .terms = vectors,
                   .queries = {260},
                   .heads = 1,
                   .clip = 2,
                   .clip_step = 45});
  cases.push_back({.name = "tile_borders",
                   .width = 32,
                   .terms = vectors,
                   .queries = {15, 16, 17, 32, 33, 127, 128, 129, 144, 145},
                   .heads = 1,
                   .clip = 0});
  cases.push_back({.name = "beyond_clip_zero",
                   .width = 32,
                   .terms = kRelativeQueries | kRelativeValues,
                   .queries = {150},
                   .keys = {97},
                   .heads = 1,
                   .clip = 0,
                   .clip_step = 0});
  cases.push_back({.name = "rank_beyond_width",
                   .width = 32,
                   .terms = kFeatures,
                   .queries = {70},
                   .heads = 1,
                   .rank = 75});
  return cases;
}

// Sentences that share tiles, at all borders within one, and next to some that do not.
std::vector<AttentionCaseOptions> make_packed_cases() {
  using enum ElementType;
  const std::vector<int64_t> lengths = {28, 31, 40, 29, 1, 2, 15, 16, 17, 64, 14, 100, 28, 128, 9};
  const unsigned vectors = kRelativeKeys | kRelativeQueries | kRelativeValues;
  const unsigned all = vectors | kOffsetBias | kSegmentBias;
  std::vector<AttentionCaseOptions> cases;
  const auto add = [&](AttentionCaseOptions options) {
    options.name = "packed_" + options.name;
    if (options.queries.size() == 3) options.queries = lengths;
    options.packed = true;
    cases.push_back(options);
  };
  for (const int64_t width : {32, 64, 96, 128}) {
    for (const bool causal : {false, true}) {
      const std::string suffix = std::to_string(width) + (causal ? "_causal" : "");
      add({.name = "plain_" + suffix, .width = width, .causal = causal, .heads = 1});
      add({.name = "offset_bias_" + suffix,
           .width = width,
           .terms = kOffsetBias,
           .causal = causal,
           .dropout = 0.2,
           .heads = 1});
    }
    const std::string suffix = std::to_string(width);
    add({.name = "vectors_" + suffix, .width = width, .terms = vectors, .heads = 1});
    add({.name = "cross_" + suffix,
         .width = width,
         .queries = {28, 31, 40, 29, 1, 60, 128, 9, 30},
         .keys = {30, 20, 50, 129, 2, 1, 300, 28, 7},
         .dropout = 0.2,
         .heads = 1});
    add({.name = "all_" + suffix,
         .width = width,
         .terms = all,
         .queries = {28, 40, 31, 7},
         .causal = true,
         .dropout = 0.1,
         .heads = 1});
  }
  for (const int64_t width : {64, 128}) {
    const std::string suffix = std::to_string(width);
    add({.name = "fp32_plain_" + suffix, .type = kFloat, .width = width, .heads = 1});
    add({.name = "fp32_all_" + suffix,
         .type = kFloat,
         .width = width,
         .terms = all,
         .queries = {28, 40, 31, 7},
         .dropout = 0.1,
         .heads = 1});
  }
  for (const auto& [name, term] : kNamedTerms) {
    if ((term & all) == 0) continue;
    add({.name = name, .width = 32, .terms = term, .dropout = 0.1, .shared_tables = true});
    add({.name = std::string(name) + "_causal", .width = 32, .terms = term, .causal = true});
  }
  add({.name = "heads", .width = 40, .terms = kOffsetBias, .dropout = 0.3, .heads = 3});
  add({.name = "beyond_clip", .width = 32, .terms = all, .heads = 1, .clip = 2});
  add({.name = "clip_zero", .width = 32, .terms = kRelativeQueries, .clip = 0, .clip_step = 0});
  // Sentences of several tiles take these, and leave the rest of the last one idle.
  const std::vector<int64_t> mixed = {20, 30, 300, 5, 7, 9, 40, 129, 128, 60, 61, 8};
  add({.name = "mixed", .width = 64, .queries = mixed, .dropout = 0.2, .heads = 1});
  add({.name = "mixed_all", .width = 32, .terms = all, .queries = mixed, .causal = true});
  add({.name = "mixed_cross",
       .width = 32,
       .queries = mixed,
       .keys = {5, 200, 7, 9, 40, 128, 60, 61, 8, 3, 2, 1},
       .heads = 1});
  add({.name = "without_keys",
       .width = 32,
       .queries = {5, 9, 3, 20, 6},
       .keys = {0, 4, 0, 40, 7},
       .heads = 1});
  add({.name = "without_queries",
       .width = 32,
       .queries = {0, 5, 0, 0, 9, 110, 20},
       .keys = {7, 0, 100, 30, 4, 2, 0},
       .heads = 1});
  add({.name = "idle_tiles", .width = 32, .terms = kOffsetBias, .heads = 1, .idle_tiles = 2});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Packed, AttentionCasesTest, testing::ValuesIn(make_packed_cases()),
                         [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(Cases, AttentionCasesTest, testing::ValuesIn(make_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace dietmt::kernels
