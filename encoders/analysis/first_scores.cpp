#include "encoders/analysis/first_scores.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>

#include "encoders/analysis/first_layer.h"
#include "encoders/analysis/indicators.h"
#include "encoders/attention/vector_terms.h"

namespace dietmt::encoders {
namespace {

constexpr int64_t kSentences = 20;  // of up to so many words; fewer of longer ones
constexpr int64_t kWords = 256;

/// Scores of words and positions: f(q, k) is affine in each of its arguments.
class PartScores {
 public:
  PartScores(const VectorParts& parts, const ScoreTerms& terms, bool causal)
      : words_(in_double(parts.words)),
        positions_(in_double(parts.positions)),
        nothing_{at::zeros_like(words_.queries), at::zeros_like(words_.keys)},
        terms_(terms),
        causal_(causal) {}

  at::Tensor whole() const {
    return of(words_.queries + positions_.queries, words_.keys + positions_.keys);
  }

  /// [4, H, n, n]
  at::Tensor all() const {
    const at::Tensor word_position =
        of(words_.queries, positions_.keys) - of(nothing_.queries, positions_.keys);
    const at::Tensor position_word =
        of(positions_.queries, words_.keys) - of(positions_.queries, nothing_.keys);
    const at::Tensor position_position = of(positions_.queries, positions_.keys);
    const at::Tensor word_word = whole() - word_position - position_word - position_position;
    return at::stack({word_word, word_position, position_word, position_position});
  }

  /// The products of queries and keys: [H, n, n].
  at::Tensor products() const {
    ScoreTerms nothing;
    nothing.content_scale = terms_.content_scale;
    return scores_of({words_.queries + positions_.queries, words_.keys + positions_.keys}, nothing,
                     causal_);
  }

 private:
  static SentenceVectors in_double(const SentenceVectors& x) {
    return {x.queries.to(at::kDouble), x.keys.to(at::kDouble)};
  }

  at::Tensor of(const at::Tensor& queries, const at::Tensor& keys) const {
    return scores_of({queries, keys}, terms_, causal_);
  }

  SentenceVectors words_, positions_, nothing_;
  const ScoreTerms& terms_;
  bool causal_;
};

std::vector<int64_t> ranks(const at::Tensor& matrices) {
  std::vector<int64_t> found;
  for (const at::Tensor& matrix : matrices.unbind()) found.push_back(numeric_rank(matrix));
  return found;
}

/// Sums over sentences and pairs, from which variances follow.
struct Moments {
  double count = 0;
  at::Tensor parts, whole, products, squares;  // [4, H], [H], [4, H], [H]

  /// parts: [4, H, n, n]; pairs: [n, n] bool, those that count.
  void add(const at::Tensor& all, const at::Tensor& pairs) {
    const at::Tensor seen = all * pairs.to(at::kDouble);
    const at::Tensor sum = seen.sum(0);  // [H, n, n]
    const auto accumulate = [](at::Tensor& to, const at::Tensor& values) {
      const at::Tensor total = values.sum({-2, -1});
      to = to.defined() ? to + total : total;
    };
    count += pairs.sum().item<double>();
    accumulate(parts, seen);
    accumulate(whole, sum);
    accumulate(products, seen * sum);
    accumulate(squares, sum.square());
  }

  at::Tensor shares() const {
    const at::Tensor covariance = products / count - parts / count * (whole / count);
    return covariance / (squares / count - (whole / count).square());
  }
};

}  // namespace

FirstScores first_scores(const InspectedStack& stack, const at::Tensor& words, int64_t length) {
  const torch::NoGradGuard no_grad;
  const ScoreTerms terms = stack.position.lower({length, length}, words).front();
  if (compresses(terms) || terms.contextual.defined()) return {};
  const at::Tensor table = stack.position.position_table(length, table_options(words));
  const at::Tensor positions =
      table.defined() ? table.narrow(0, 0, length) : at::zeros({length, stack.width});
  at::Tensor pairs = at::ones({length, length}, at::kBool);
  if (stack.causal) pairs = pairs.tril();

  FirstScores found;
  Moments moments;
  const int64_t most = kSentences * kWords / std::max(length, kWords);
  const int64_t sentences = std::min(most, words.size(0));
  for (int64_t s = 0; s < sentences; ++s) {
    const at::Tensor ids = (at::arange(length, at::kLong) + s).remainder(words.size(0));
    const at::Tensor sentence = embed(stack, words.index_select(0, ids)) - positions;
    const PartScores scores(first_layer_parts(stack, sentence, positions), terms, stack.causal);
    const at::Tensor all = scores.all();
    moments.add(all, pairs);
    found.maps = found.maps.defined() ? found.maps + all : all;
    if (s > 0) continue;
    const at::Tensor whole = scores.whole(), products = scores.products();
    found.rank = ranks(whole);
    found.rank_without_terms = at::equal(whole, products) ? found.rank : ranks(products);
  }
  found.maps = found.maps / sentences;
  found.shares = moments.shares();
  return found;
}

}  // namespace dietmt::encoders
