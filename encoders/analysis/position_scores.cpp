#include "encoders/analysis/position_scores.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <limits>

#include "encoders/analysis/first_layer.h"
#include "encoders/position/term_table.h"

namespace dietmt::encoders {
namespace {

/// The first layer's queries and keys of the positions that were added to the embeddings; zeros if
/// nothing was added.
SentenceVectors vectors_of_positions(const InspectedStack& stack, const at::Tensor& nothing) {
  return first_layer_parts(stack, nothing, embed(stack, nothing)).positions;
}

}  // namespace

bool InspectedStack::reads_plain_positions() const {
  return norm == NormPlacement::kPost && !embedding_norm && !has_norm(kQueryNorm);
}

at::Tensor scores_without_content(const ScoreTerms& terms, const Extent& extent, int64_t heads,
                                  int64_t head_width) {
  return scores_of(
      {at::zeros({extent.queries, heads, head_width}), at::zeros({extent.keys, heads, head_width})},
      terms, false);
}

std::vector<std::string> terms_with_content(const ScoreTerms& terms) {
  std::vector<std::string> names;
  for (const Term& term : kTerms) {
    if (term.content == nullptr || !(terms.*term.table).defined()) continue;
    if (names.empty() || names.back() != term.content) names.emplace_back(term.content);
  }
  return names;
}

std::vector<at::Tensor> position_scores(const InspectedStack& stack, int64_t length) {
  const torch::NoGradGuard no_grad;
  const at::Tensor nothing = at::zeros({length, stack.width});
  const Extent extent{length, length};
  std::vector<ScoreTerms> terms = stack.position.lower(extent, nothing);
  std::vector<at::Tensor> scores;
  for (ScoreTerms& layer : terms) {
    layer.segment_bias = at::Tensor();
    scores.push_back(scores_without_content(layer, extent, stack.heads, stack.head_width()));
  }
  if (stack.reads_plain_positions())
    scores[0] = scores_of(vectors_of_positions(stack, nothing), terms[0], stack.causal);
  return scores;
}

Probe probe_identical_words(const InspectedStack& stack, const at::Tensor& words, int64_t length,
                            const at::Tensor& ends) {
  const torch::NoGradGuard no_grad;
  const std::vector<ScoreTerms> terms = stack.position.lower({length, length}, words);
  const at::Tensor later = at::ones({length, length}, at::kBool).triu(1);
  Probe sum;
  for (const at::Tensor& word : words.unbind()) {
    at::Tensor sentence = word.expand({length, stack.width});
    if (ends.defined())
      sentence =
          at::cat({ends.narrow(0, 0, 1), sentence.narrow(0, 1, length - 2), ends.narrow(0, 1, 1)});
    const at::Tensor x = embed(stack, sentence);
    at::Tensor scores = scores_of(first_layer_vectors(stack, x), terms[0], stack.causal);
    if (!scores.defined()) return {};
    scores = scores.to(at::kDouble);
    if (stack.causal) scores = scores.masked_fill(later, -std::numeric_limits<double>::infinity());
    const at::Tensor probabilities = at::softmax(scores, -1);
    sum.scores = sum.scores.defined() ? sum.scores + scores : scores;
    sum.attention = sum.attention.defined() ? sum.attention + probabilities : probabilities;
  }
  return {sum.scores / words.size(0), sum.attention / words.size(0)};
}

}  // namespace dietmt::encoders
