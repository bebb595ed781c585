// The attention kernels of each supported instruction set compared with the definition in double,
// forward and backward, with every score term.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/error.h"
#include "kernels/attention.h"
#include "tests/kernels/attention_case.h"
#include "tests/kernels/attention_reference.h"
#include "tests/kernels/cpu/attention/case_memory.h"
#include "tests/kernels/largest_error.h"

namespace dietmt::kernels {
namespace {

double largest_finite(const std::vector<double>& values) {
  double size = 0.0;
  for (const double value : values)
    if (std::isfinite(value)) size = std::fmax(size, std::fabs(value));
  return size;
}

class AttentionKernelsTest : public testing::TestWithParam<AttentionCaseOptions> {};

/// fp32 differs by the rounding of its sums, bf16 by that of a plain implementation in bf16.
TEST_P(AttentionKernelsTest, EqualTheDefinition) {
  std::vector<NamedValues> exact, plain;
  for (const AttentionKernels* level : attention_tables()) {
    if (!runs_here(*level)) continue;
    SCOPED_TRACE(level->instruction_set);
    CaseMemory memory;
    AttentionCase attention(GetParam(), memory.arena());
    if (exact.empty()) {
      exact = attention_reference(attention, ElementType::kFloat);
      plain = attention_reference(attention, GetParam().type);
    }
    level->forward(attention.forward());
    level->backward(attention.backward());
    const auto results = attention.results();
    for (size_t i = 0; i < results.size(); ++i) {
      SCOPED_TRACE(results[i].name);
      const double rounding = 4e-6 * (1.0 + largest_finite(exact[i].values));
      const double allowed = 2.0 * largest_error(plain[i].values, exact[i].values);
      EXPECT_LE(largest_error(results[i].values, exact[i].values), allowed + rounding);
      EXPECT_GT(largest_finite(exact[i].values), 0.0);
    }
  }
}

std::vector<AttentionCaseOptions> make_cases() {
  using enum ElementType;
  const unsigned all_but_segments = kAllTerms - kSegmentBias;
  std::vector<AttentionCaseOptions> cases;
  for (const int64_t width : {5, 16, 40, 64}) {
    const std::string suffix = std::to_string(width);
    cases.push_back({.name = "plain_" + suffix, .type = kFloat, .width = width});
    cases.push_back(
        {.name = "bf16_all_terms_" + suffix, .width = width, .terms = kAllTerms, .dropout = 0.2});
    cases.push_back({.name = "all_terms_" + suffix,
                     .type = kFloat,
                     .width = width,
                     .terms = kAllTerms,
                     .dropout = 0.2});
  }
  for (const auto& [name, term] : kNamedTerms) {
    AttentionCaseOptions one{.name = name, .type = kFloat, .width = 16, .terms = term};
    cases.push_back(one);
    one.name += "_shared";
    one.shared_tables = true;
    cases.push_back(one);
  }
  cases.push_back({.name = "bf16_plain", .width = 32});
  cases.push_back({.name = "causal",
                   .type = kFloat,
                   .width = 16,
                   .terms = kAllTerms,
                   .queries = {60, 1, 130},
                   .causal = true,
                   .dropout = 0.1});
  cases.push_back({.name = "cross",
                   .type = kFloat,
                   .width = 16,
                   .terms = all_but_segments,
                   .queries = {5, 70, 1},
                   .keys = {66, 3, 140}});
  cases.push_back(
      {.name = "no_keys", .type = kFloat, .width = 16, .queries = {5, 9}, .keys = {0, 4}});
  // More than the tiles of queries and keys, and more queries than a thread takes at a time.
  cases.push_back({.name = "many_tiles",
                   .type = kFloat,
                   .width = 8,
                   .terms = all_but_segments,
                   .queries = {430},
                   .heads = 1,
                   .clip = 3});
  cases.push_back({.name = "unclipped",
                   .type = kFloat,
                   .width = 8,
                   .terms = all_but_segments,
                   .queries = {150},
                   .heads = 1,
                   .clip = 200});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, AttentionKernelsTest, testing::ValuesIn(make_cases()),
                         [](const auto& test) { return test.param.name; });

using AttentionLevelTest = LevelTest<AttentionKernels>;

TEST_P(AttentionLevelTest, AddsToTheGradientsOfTables) {
  const AttentionCaseOptions options{
      .name = "", .type = ElementType::kFloat, .width = 16, .terms = kAllTerms};
  CaseMemory memory;
  AttentionCase once(options, memory.arena()), twice(options, memory.arena());
  for (AttentionCase* attention : {&once, &twice}) {
    level().forward(attention->forward());
    level().backward(attention->backward());
  }
  level().backward(twice.backward());
  const auto one = once.results(), two = twice.results();
  for (size_t i = 5; i < one.size(); ++i)  // after those of vectors
    for (size_t k = 0; k < one[i].values.size(); ++k)
      ASSERT_FLOAT_EQ(two[i].values[k], 2.0 * one[i].values[k]) << one[i].name;
}

TEST_P(AttentionLevelTest, BatchesMayHaveNoKeysOrQueries) {
  using Lengths = std::vector<int64_t>;
  for (const auto& [queries, keys] : {std::pair<Lengths, Lengths>{{5, 1}, {0, 0}},
                                      {{1}, {0}},
                                      {{0}, {1}},
                                      {{0, 0}, {1, 7}},
                                      {{0}, {0}}}) {
    for (const int64_t clip : {0, 5}) {
      SCOPED_TRACE(testing::PrintToString(queries) + " " + testing::PrintToString(keys) + ", " +
                   std::to_string(clip));
      CaseMemory memory;
      AttentionCase attention({.name = "",
                               .type = ElementType::kFloat,
                               .width = 16,
                               .terms = kAllTerms - kSegmentBias,
                               .queries = queries,
                               .keys = keys,
                               .clip = clip},
                              memory.arena());
      level().forward(attention.forward());
      level().backward(attention.backward());
      for (const NamedValues& result : attention.results()) {
        const bool is_normalizer = result.name == "log_normalizer";
        const double expected = is_normalizer ? std::numeric_limits<double>::infinity() : 0.0;
        for (const double value : result.values) EXPECT_EQ(value, expected) << result.name;
      }
    }
  }
}

/// Checks that vectors [tokens, 2, 16] are NaN in `head` of tokens first .. last - 1, and as
/// expected elsewhere.
void expect_not_a_number_in(const NamedValues& found, const NamedValues& expected, size_t head,
                            size_t first, size_t last) {
  SCOPED_TRACE(found.name);
  for (size_t i = 0; i < found.values.size(); ++i) {
    const size_t token = i / 32;
    if (i / 16 % 2 == head && token >= first && token < last) {
      ASSERT_TRUE(std::isnan(found.values[i])) << i;
    } else {
      ASSERT_EQ(found.values[i], expected.values[i]) << i;
    }
  }
}

TEST_P(AttentionLevelTest, NotANumberShowsOnlyInItsSentence) {
  const AttentionCaseOptions options{.name = "",
                                     .type = ElementType::kFloat,
                                     .width = 16,
                                     .terms = kAllTerms,
                                     .queries = {70, 50, 3}};
  for (const int64_t key : {0, 13, 49}) {
    SCOPED_TRACE(key);
    CaseMemory memory;
    AttentionCase good(options, memory.arena()), bad(options, memory.arena());
    const HeadRows& keys = bad.forward().keys;
    static_cast<float*>(keys.data)[(70 + key) * keys.token_stride + 7] = std::nanf("");  // head 0
    for (AttentionCase* attention : {&good, &bad}) {
      level().forward(attention->forward());
      level().backward(attention->backward());
    }
    const auto expected = good.results(), found = bad.results();
    for (const size_t i : {0U, 2U, 3U, 4U})  // output and the gradients of vectors
      expect_not_a_number_in(found[i], expected[i], 0, 70, 120);
    for (size_t i = 5; i < found.size(); ++i) {  // gradients of the tables, head by head
      SCOPED_TRACE(found[i].name);
      const std::vector<double>& values = found[i].values;
      const size_t half = values.size() / 2;
      EXPECT_TRUE(std::any_of(values.data(), values.data() + half,
                              [](double value) { return std::isnan(value); }));
      for (size_t k = half; k < values.size(); ++k)
        ASSERT_EQ(values[k], expected[i].values[k]) << k;
    }
  }
}

TEST_P(AttentionLevelTest, TakesSubnormalNumbersAsZerosWhileItRuns) {
  const AttentionCaseOptions options{
      .name = "", .type = ElementType::kFloat, .width = 16, .queries = {20}};
  CaseMemory memory;
  AttentionCase attention(options, memory.arena());
  const HeadRows& values = attention.forward().values;
  const volatile float subnormal = 1e-39f;
  for (int64_t token = 0; token < 20; ++token)
    std::fill_n(static_cast<float*>(values.data) + token * values.token_stride, 16, subnormal);
  level().forward(attention.forward());
  level().backward(attention.backward());
  const auto output = attention.results()[0].values;
  for (size_t i = 0; i < output.size(); ++i)
    ASSERT_EQ(output[i] == 0.0, i / 16 % 2 == 0) << i;  // head 0
  EXPECT_GT(subnormal * 0.5f, 0.0f);
}

TEST(AttentionCpuTest, RefusesFp16) {
  CaseMemory memory;
  AttentionCase attention({.name = "", .type = ElementType::kHalf}, memory.arena());
  EXPECT_THROW(attention_forward_cpu(attention.forward()), Error);
  EXPECT_THROW(attention_backward_cpu(attention.backward()), Error);
}

INSTANTIATE_TEST_SUITE_P(Levels, AttentionLevelTest, testing::ValuesIn(attention_tables()),
                         level_name<AttentionKernels>);

}  // namespace
}  // namespace dietmt::kernels
