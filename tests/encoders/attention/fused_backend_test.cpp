// The fused CPU kernels compared with the definition in double, for every score term, with
// sentences of many sizes: one tile and several, whole vectors and not.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <functional>
#include <string>

#include "encoders/attention/attention.h"

namespace dietmt::encoders {
namespace {

constexpr int64_t kHeads = 3;

/// A test case; `terms` fills the tables for T queries and S keys.
struct Case {
  std::string name;
  std::vector<int64_t> query_lengths;
  std::vector<int64_t> key_lengths;  // empty: self-attention
  int64_t head_width = 16;
  bool causal = false;
  double dropout = 0.0;
  std::function<void(ScoreTerms&, int64_t queries, int64_t keys, int64_t width)> terms =
      [](ScoreTerms&, int64_t, int64_t, int64_t) {};
};

void PrintTo(const Case& tested, std::ostream* out) { *out << tested.name; }

at::Tensor table(at::IntArrayRef sizes, double scale = 0.5) {
  return (at::randn(sizes, at::kDouble) * scale).requires_grad_(true);
}

using MakeTerms = std::function<void(ScoreTerms&, int64_t, int64_t, int64_t)>;

MakeTerms offset_bias(int64_t heads, int64_t clip) {
  return [=](ScoreTerms& terms, int64_t, int64_t, int64_t) {
    terms.offset_bias = table({heads, 2 * clip + 1});
  };
}

MakeTerms shaw(int64_t heads, int64_t clip) {
  return [=](ScoreTerms& terms, int64_t, int64_t, int64_t width) {
    terms.relative_keys = table({heads, 2 * clip + 1, width});
    terms.relative_values = table({heads, 2 * clip + 1, width});
  };
}

MakeTerms relative_queries(int64_t heads, int64_t clip) {
  return [=](ScoreTerms& terms, int64_t, int64_t, int64_t width) {
    terms.relative_queries = table({heads, 2 * clip + 1, width});
  };
}

MakeTerms position_bias(int64_t heads) {
  return [=](ScoreTerms& terms, int64_t queries, int64_t keys, int64_t) {
    terms.position_bias = table({heads, queries, keys});
  };
}

MakeTerms features(int64_t heads, int64_t rank) {
  return [=](ScoreTerms& terms, int64_t queries, int64_t keys, int64_t) {
    terms.query_features = table({heads, queries, rank});
    terms.key_features = table({heads, keys, rank});
  };
}

void segments(ScoreTerms& terms, int64_t, int64_t, int64_t) {
  terms.segment_bias = table({kHeads, 3, 3});
}

void everything(ScoreTerms& terms, int64_t queries, int64_t keys, int64_t width) {
  offset_bias(kHeads, 7)(terms, queries, keys, width);
  shaw(1, 4)(terms, queries, keys, width);
  relative_queries(kHeads, 5)(terms, queries, keys, width);
  position_bias(1)(terms, queries, keys, width);
  features(kHeads, 6)(terms, queries, keys, width);
  segments(terms, queries, keys, width);
}

const std::vector<int64_t> kShort = {1, 7, 20, 48, 33};
const std::vector<int64_t> kLong = {97, 3, 300};

std::vector<Case> cases() {
  return {
      {"plain", kShort, {}},
      {"plain_long", kLong, {}, 64},
      {"narrow_heads", kShort, {}, 4},
      {"odd_width", kLong, {}, 21},
      {"causal", kShort, {}, 32, true},
      {"causal_long", kLong, {}, 16, true},
      {"cross", {5, 1, 60, 150}, {9, 140, 2, 61}},
      {"dropout", kShort, {}, 16, false, 0.3},
      {"dropout_causal_long", kLong, {}, 16, true, 0.3},
      {"offset_bias", kShort, {}, 16, false, 0.0, offset_bias(kHeads, 400)},
      {"offset_bias_shared_clipped", kLong, {}, 16, false, 0.0, offset_bias(1, 3)},
      {"offset_bias_causal", kLong, {}, 16, true, 0.2, offset_bias(kHeads, 150)},
      {"offset_bias_cross", {5, 1, 60}, {9, 140, 2}, 16, false, 0.0, offset_bias(kHeads, 30)},
      {"shaw", kShort, {}, 16, false, 0.0, shaw(1, 16)},
      {"shaw_per_head", kLong, {}, 20, false, 0.0, shaw(kHeads, 5)},
      {"shaw_causal_dropout", kLong, {}, 16, true, 0.3, shaw(1, 20)},
      {"shaw_unclipped", kLong, {}, 16, false, 0.0, shaw(1, 512)},
      {"relative_queries", kShort, {}, 16, false, 0.0, relative_queries(1, 16)},
      {"relative_queries_long", kLong, {}, 16, true, 0.0, relative_queries(kHeads, 512)},
      {"position_bias", kShort, {}, 16, false, 0.0, position_bias(kHeads)},
      {"position_bias_shared_long", kLong, {}, 16, true, 0.1, position_bias(1)},
      {"features", kShort, {}, 16, false, 0.0, features(kHeads, 5)},
      {"features_long", kLong, {}, 16, false, 0.0, features(1, 17)},
      {"segments", kLong, {}, 16, false, 0.0, segments},
      {"everything", kShort, {}, 16, false, 0.2, everything},
      {"everything_causal_long", kLong, {}, 12, true, 0.2, everything},
  };
}

/// Inputs in double and the same in another type, with gradients of both.
struct Problem {
  explicit Problem(const Case& tested)
      : queries(tested.query_lengths),
        keys(tested.key_lengths.empty() ? tested.query_lengths : tested.key_lengths),
        causal(tested.causal),
        dropout(tested.dropout) {
    at::manual_seed(3);
    q = table({queries.tokens(), kHeads, tested.head_width}, 1.0);
    k = table({keys.tokens(), kHeads, tested.head_width}, 1.0);
    v = table({keys.tokens(), kHeads, tested.head_width}, 1.0);
    terms.content_scale = {0.3, 0.2, 0.25};
    tested.terms(terms, queries.max_length(), keys.max_length(), tested.head_width);
    if (terms.segment_bias.defined()) segments = at::randint(0, 3, {queries.tokens()}, at::kLong);
  }

  std::vector<at::Tensor> variables() const {
    std::vector<at::Tensor> all = {q, k, v};
    for (const at::Tensor& term :
         {terms.position_bias, terms.query_features, terms.key_features, terms.offset_bias,
          terms.relative_keys, terms.relative_queries, terms.relative_values, terms.segment_bias})
      if (term.defined()) all.push_back(term);
    return all;
  }

  /// Rounds inputs and tables to `type`.
  void round_to(at::ScalarType type) {
    const torch::NoGradGuard no_grad;
    for (at::Tensor variable : variables()) variable.copy_(variable.to(type));
  }

  /// The output, then the gradient of every variable; computed in `type`, returned in double.
  std::vector<at::Tensor> solve(Backend backend, at::ScalarType type) const {
    const auto in_type = [&](const at::Tensor& x) { return x.defined() ? x.to(type) : x; };
    ScoreTerms cast = terms;
    for (at::Tensor ScoreTerms::*field :
         {&ScoreTerms::position_bias, &ScoreTerms::query_features, &ScoreTerms::key_features,
          &ScoreTerms::offset_bias, &ScoreTerms::relative_keys, &ScoreTerms::relative_queries,
          &ScoreTerms::relative_values, &ScoreTerms::segment_bias})
      cast.*field = in_type(terms.*field);
    AttentionCall call{.queries = in_type(q),
                       .keys = in_type(k),
                       .values = in_type(v),
                       .query_packing = queries,
                       .key_packing = keys,
                       .terms = cast,
                       .causal = causal,
                       .dropout = DropoutKeys(17).next(dropout)};
    call.segments = segments;
    const at::Tensor output = attend(call, backend).to(at::kDouble);
    const at::Tensor weights = at::arange(output.numel(), at::kDouble)
                                   .sin()
                                   .to(at::kBFloat16)  // so that every type represents them exactly
                                   .to(at::kDouble)
                                   .view_as(output);
    std::vector<at::Tensor> results =
        torch::autograd::grad({(output * weights).sum()}, variables());
    results.insert(results.begin(), output);
    return results;
  }

  Packing queries, keys;
  bool causal;
  double dropout;
  at::Tensor q, k, v, segments;
  ScoreTerms terms;
};

double root_mean_square(const at::Tensor& x) { return x.square().mean().sqrt().item<double>(); }

class CpuAttention : public testing::TestWithParam<Case> {
 protected:
  /// The kernel's error is at most twice that of plain tensor operations in `type`.
  static void compare(at::ScalarType type, double noise) {
    const Problem problem(GetParam());
    const auto exact = problem.solve(Backend::kReference, at::kDouble);
    const auto plain = problem.solve(Backend::kReference, type);
    const auto fused = problem.solve(Backend::kCpu, type);
    for (size_t n = 0; n < exact.size(); ++n) {
      const double size = root_mean_square(exact[n]);
      EXPECT_LE(root_mean_square(fused[n] - exact[n]),
                2 * root_mean_square(plain[n] - exact[n]) + noise * size)
          << "result " << n << " of size " << size;
    }
  }
};

TEST_P(CpuAttention, EqualsTheDefinitionInFloat) { compare(at::kFloat, 1e-6); }
TEST_P(CpuAttention, EqualsTheDefinitionInBFloat16) { compare(at::kBFloat16, 1e-3); }

/// On inputs that bf16 represents exactly, the kernel adds little more than the rounding of its
/// results.
TEST_P(CpuAttention, RoundsHardlyMoreThanItsResultsToBFloat16) {
  Problem problem(GetParam());
  problem.round_to(at::kBFloat16);
  const auto exact = problem.solve(Backend::kReference, at::kDouble);
  const auto fused = problem.solve(Backend::kCpu, at::kBFloat16);
  for (size_t n = 0; n < exact.size(); ++n) {
    const at::Tensor rounded = exact[n].to(at::kBFloat16).to(at::kDouble);
    EXPECT_LE(root_mean_square(fused[n] - exact[n]),
              2 * root_mean_square(rounded - exact[n]) + 1e-6 * root_mean_square(exact[n]))
        << "result " << n << " of size " << root_mean_square(exact[n]);
  }
}

TEST_P(CpuAttention, DoesNotDependOnThreads) {
  const Problem problem(GetParam());
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const auto one = problem.solve(Backend::kCpu, at::kFloat);
  at::set_num_threads(3);
  const auto three = problem.solve(Backend::kCpu, at::kFloat);
  at::set_num_threads(before);
  for (size_t n = 0; n < one.size(); ++n) EXPECT_TRUE(at::equal(one[n], three[n])) << n;
}

INSTANTIATE_TEST_SUITE_P(Cases, CpuAttention, testing::ValuesIn(cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST(CpuAttentionReasons, NamesWhatItCannotDo) {
  const Packing packing({2});
  const at::Tensor x = at::zeros({2, 1, 4}, at::kDouble);
  ScoreTerms terms;
  terms.content_scale = {1.0};
  const AttentionCall call{.queries = x,
                           .keys = x,
                           .values = x,
                           .query_packing = packing,
                           .key_packing = packing,
                           .terms = terms};
  EXPECT_EQ(reasons_against(Backend::kCpu, call).size(), 1U);
  EXPECT_TRUE(reasons_against(Backend::kSdpa, call).empty());
}

}  // namespace
}  // namespace dietmt::encoders
