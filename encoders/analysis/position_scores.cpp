#include "encoders/analysis/position_scores.h"

#include <ATen/ATen.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <limits>

#include "encoders/attention/backends.h"
#include "encoders/attention/vector_terms.h"
#include "encoders/ops/fused_ops.h"
#include "encoders/position/term_table.h"

namespace dietmt::encoders {
namespace {

at::Tensor positions_of(int64_t length, const at::Tensor& like) {
  return at::arange(length, like.options().dtype(at::kLong));
}

/// Vectors of one sentence: [T, H, Dh] each.
struct HeadVectors {
  at::Tensor queries;
  at::Tensor keys;
};

at::Tensor parameter(const torch::nn::Module& module, const std::string& name) {
  return module.named_parameters()[name];
}

constexpr const char* kQueryNorm = "layer0.self_attention.query_norm";
constexpr const char* kKeyNorm = "layer0.self_attention.key_norm";

bool has_norm(const InspectedStack& stack, const std::string& norm) {
  return stack.module.named_parameters().contains(norm + ".weight");
}

// A norm without bias is an RMS norm.
at::Tensor normalize(const InspectedStack& stack, const std::string& norm, const at::Tensor& x) {
  const auto parameters = stack.module.named_parameters();
  const at::Tensor& weight = parameters[norm + ".weight"];
  const at::Tensor* bias = parameters.find(norm + ".bias");
  if (bias == nullptr) return rms_norm(x, weight, stack.norm_epsilon);
  return at::layer_norm(x, {x.size(-1)}, weight, *bias, stack.norm_epsilon);
}

// [T, G, Dh] -> [T, H, Dh]
at::Tensor for_all_heads(const at::Tensor& x, int64_t heads) {
  return x.repeat_interleave(heads / x.size(1), 1);
}

/// x with positions and segments of one sentence: [T, D].
at::Tensor embed(const InspectedStack& stack, const at::Tensor& x) {
  const at::Tensor positions = positions_of(x.size(0), x);
  return stack.position.embed(x, positions, at::zeros_like(positions));
}

/// The first layer's queries and keys of embeddings with positions, x: [T, D].
HeadVectors first_layer_vectors(const InspectedStack& stack, const at::Tensor& x) {
  at::Tensor input = stack.embedding_norm ? normalize(stack, "embedding_norm", x) : x;
  if (stack.norm == NormPlacement::kPre)
    input = normalize(stack, "layer0.self_residual.norm", input);
  const at::Tensor projected =  // [T, H + 2G, Dh]: queries, keys, values
      at::linear(input, parameter(stack.module, "layer0.self_attention.input_weight"),
                 parameter(stack.module, "layer0.self_attention.input_bias"))
          .view({x.size(0), -1, stack.head_width()});
  const int64_t key_heads = (projected.size(1) - stack.heads) / 2;
  at::Tensor queries = projected.narrow(1, 0, stack.heads);
  at::Tensor keys = projected.narrow(1, stack.heads, key_heads);
  if (has_norm(stack, kQueryNorm)) {
    queries = normalize(stack, kQueryNorm, queries);
    keys = normalize(stack, kKeyNorm, keys);
  }
  return {queries, for_all_heads(keys, stack.heads)};
}

at::Tensor scores_of(const HeadVectors& vectors, const ScoreTerms& terms, bool causal) {
  if (compresses(terms)) return {};
  const auto move = [&](const auto& mover, const at::Tensor& x) {
    return mover(x, positions_of(x.size(0), x), terms).transpose(0, 1);
  };
  Sentence sentence;
  sentence.q = move(move_queries, vectors.queries);
  sentence.k = move(move_keys, vectors.keys);
  sentence.causal = causal;
  if (terms.segment_bias.defined())
    sentence.segments = at::zeros({vectors.queries.size(0)}, at::kLong);
  return sentence_scores(sentence, terms);
}

/// The first layer's queries and keys of the positions that were added to the embeddings, without
/// the projection's bias; zeros if nothing was added.
HeadVectors vectors_of_positions(const InspectedStack& stack, const at::Tensor& nothing) {
  const HeadVectors with = first_layer_vectors(stack, embed(stack, nothing));
  const HeadVectors without = first_layer_vectors(stack, nothing);
  return {with.queries - without.queries, with.keys - without.keys};
}

}  // namespace

bool InspectedStack::reads_plain_positions() const {
  return norm == NormPlacement::kPost && !embedding_norm && !has_norm(*this, kQueryNorm);
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

at::Tensor identical_word_attention(const InspectedStack& stack, const at::Tensor& words,
                                    int64_t length) {
  const torch::NoGradGuard no_grad;
  const std::vector<ScoreTerms> terms = stack.position.lower({length, length}, words);
  const at::Tensor later = at::ones({length, length}, at::kBool).triu(1);
  at::Tensor sum;
  for (const at::Tensor& word : words.unbind()) {
    const at::Tensor x = embed(stack, word.expand({length, stack.width}));
    at::Tensor scores = scores_of(first_layer_vectors(stack, x), terms[0], stack.causal);
    if (!scores.defined()) return {};
    scores = scores.to(at::kDouble);
    if (stack.causal) scores = scores.masked_fill(later, -std::numeric_limits<double>::infinity());
    const at::Tensor probabilities = at::softmax(scores, -1);
    sum = sum.defined() ? sum + probabilities : probabilities;
  }
  return sum / words.size(0);
}

}  // namespace dietmt::encoders
