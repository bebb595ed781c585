// Every term of the table, by itself, in head mixes and in each backend: if one of them forgets a
// term, it has no effect there.
#include "encoders/position/term_table.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "common/error.h"
#include "encoders/attention/attention.h"
#include "encoders/position/head_mix.h"

namespace dietmt::encoders {

inline void PrintTo(const Term& term, std::ostream* out) { *out << term.name; }

namespace {

constexpr int64_t kHeads = 2;
constexpr int64_t kWidth = 8;    // Dh
constexpr int64_t kLongest = 5;  // of the longest sentence
constexpr int64_t kEntries = 5;  // 2C+1
constexpr int64_t kRank = 3;     // R, and rows of compressed keys

/// By name: a new term fails every test until its sizes are listed here.
const std::map<std::string, std::vector<int64_t>> kSizes = {
    {"position_bias", {kHeads, kLongest, kLongest}},
    {"query_features", {kHeads, kLongest, kRank}},
    {"key_features", {kHeads, kLongest, kRank}},
    {"offset_bias", {kHeads, kEntries}},
    {"relative_keys", {kHeads, kEntries, kWidth}},
    {"relative_queries", {kHeads, kEntries, kWidth}},
    {"relative_values", {kHeads, kEntries, kWidth}},
    {"segment_bias", {kHeads, 2, 2}},
    {"contextual", {kHeads, 4, kWidth}},
    {"query_shift", {kHeads, kLongest, kWidth}},
    {"key_shift", {kHeads, kLongest, kWidth}},
    {"query_cosines", {kHeads, kLongest, kWidth / 2}},
    {"query_sines", {kHeads, kLongest, kWidth / 2}},
    {"key_cosines", {kHeads, kLongest, kWidth / 2}},
    {"key_sines", {kHeads, kLongest, kWidth / 2}},
    {"key_compression", {kHeads, kRank, kLongest}},
    {"value_compression", {kHeads, kRank, kLongest}}};

/// Tables that exist only together.
const std::vector<std::vector<std::string>> kGroups = {
    {"query_features", "key_features"},
    {"query_cosines", "query_sines", "key_cosines", "key_sines"},
    {"key_compression", "value_compression"}};

std::vector<std::string> group_of(const std::string& name) {
  for (const auto& group : kGroups)
    if (std::find(group.begin(), group.end(), name) != group.end()) return group;
  return {name};
}

/// Random tables of `names` in their terms.
ScoreTerms terms_with(const std::vector<std::string>& names) {
  ScoreTerms terms;
  terms.content_scale = {0.4};
  at::manual_seed(3);
  for (const Term& term : kTerms)
    if (std::find(names.begin(), names.end(), term.name) != names.end())
      terms.*term.table = at::randn(kSizes.at(term.name)).requires_grad_(term.has_gradient);
  return terms;
}

class EveryTerm : public testing::TestWithParam<Term> {
 protected:
  ScoreTerms only_this() const { return terms_with({GetParam().name}); }
  ScoreTerms its_group() const { return terms_with(group_of(GetParam().name)); }
};

TEST_P(EveryTerm, StaysInAMixOfHeadsOrIsRefused) {
  const Term& term = GetParam();
  const at::Tensor table = only_this().*term.table;
  ScoreTerms nothing;
  nothing.content_scale = {0.4};
  ScoreTerms own = nothing;
  own.*term.table = table;
  const std::vector<HeadTerms> parts = {{{own}, {3, 1}}, {{nothing}, {0, 2}}};
  if (term.mix == MixRule::kRefuse) {
    EXPECT_THROW(mix_heads(parts, 4), Error);
    return;
  }
  const at::Tensor mixed = mix_heads(parts, 4).front().*term.table;
  ASSERT_TRUE(mixed.defined());
  EXPECT_TRUE(at::equal(mixed.index_select(0, at::tensor({3, 1})), table));
  EXPECT_TRUE((mixed.index_select(0, at::tensor({0, 2})) == term.absent).all().item<bool>());
}

/// What a backend computes from the terms: the output, and the gradients of the tables.
std::vector<at::Tensor> attended(const ScoreTerms& terms, Backend backend, bool& refused) {
  const Packing packing({kLongest, 3});
  at::manual_seed(4);
  const auto rows = [&] { return at::randn({packing.tokens(), kHeads, kWidth}); };
  const at::Tensor segments = at::tensor({0, 0, 1, 1, 1, 0, 1, 1}, at::kLong);
  const AttentionCall call{.queries = rows(),
                           .keys = rows(),
                           .values = rows(),
                           .query_packing = packing,
                           .key_packing = packing,
                           .terms = terms,
                           .segments = segments};
  refused = !reasons_against(backend, call).empty();
  if (refused) return {};
  const at::Tensor output = attend(call, backend);
  std::vector<at::Tensor> tables;
  for (const Term& term : kTerms)
    if ((terms.*term.table).defined() && term.has_gradient) tables.push_back(terms.*term.table);
  std::vector<at::Tensor> results = {output};
  if (tables.empty()) return results;
  const at::Tensor weights = at::arange(output.numel()).to(at::kFloat).sin().view_as(output);
  for (const at::Tensor& gradient : torch::autograd::grad({(output * weights).sum()}, tables))
    results.push_back(gradient);
  return results;
}

TEST_P(EveryTerm, ActsInEveryBackendThatTakesIt) {
  bool refused = false;
  const at::Tensor plain = attended(terms_with({}), Backend::kReference, refused).front();
  const std::vector<at::Tensor> wanted = attended(its_group(), Backend::kReference, refused);
  ASSERT_FALSE(refused);
  EXPECT_GT((wanted.front() - plain).abs().max().item<double>(), 1e-2);
  for (const Backend backend : {Backend::kSdpa, Backend::kCpu}) {
    const std::vector<at::Tensor> actual = attended(its_group(), backend, refused);
    EXPECT_EQ(refused, backend == Backend::kCpu && GetParam().table == &ScoreTerms::contextual);
    for (size_t i = 0; i < actual.size(); ++i) {
      EXPECT_TRUE(at::allclose(actual[i], wanted[i], 1e-4, 1e-5)) << "tensor " << i;
      EXPECT_GT(actual[i].abs().max().item<double>(), 1e-3) << "tensor " << i;
    }
  }
}

std::string term_name(const testing::TestParamInfo<Term>& tested) { return tested.param.name; }

INSTANTIATE_TEST_SUITE_P(Terms, EveryTerm, testing::ValuesIn(kTerms), term_name);

/// The product is the same number, computed once for layers that share the features.
TEST(FeatureProducts, AreReadFromABiasInShortSentences) {
  const ScoreTerms terms = terms_with({"query_features", "key_features", "position_bias"});
  const std::vector<ScoreTerms> layers = multiply_features({terms, terms, terms_with({})});
  bool refused = false;
  const std::vector<at::Tensor> wanted = attended(terms, Backend::kCpu, refused);
  const at::Tensor bias =
      terms.position_bias + at::matmul(terms.query_features, terms.key_features.transpose(1, 2));
  EXPECT_TRUE(at::allclose(layers[0].position_bias, bias, 1e-5, 1e-6));
  EXPECT_FALSE(layers[0].query_features.defined() || layers[0].key_features.defined());
  EXPECT_TRUE(layers[0].position_bias.is_same(layers[1].position_bias));
  EXPECT_FALSE(layers[2].position_bias.defined());
  ScoreTerms product = layers[0];
  product.position_bias = layers[0].position_bias.detach().requires_grad_(true);
  EXPECT_TRUE(
      at::allclose(attended(product, Backend::kCpu, refused).front(), wanted.front(), 1e-4, 1e-5));
}

TEST(FeatureProducts, StayFeaturesInLongSentences) {
  ScoreTerms terms;
  terms.query_features = terms.key_features = at::zeros({1, 1025, 2});
  EXPECT_TRUE(multiply_features({terms}).front().query_features.defined());
  terms.query_features = terms.key_features = at::zeros({1, 1024, 2});
  EXPECT_FALSE(multiply_features({terms}).front().query_features.defined());
}

}  // namespace
}  // namespace dietmt::encoders
