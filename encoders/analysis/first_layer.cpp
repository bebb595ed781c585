#include "encoders/analysis/first_layer.h"

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include "encoders/attention/backends.h"
#include "encoders/attention/untied_vectors.h"
#include "encoders/attention/vector_terms.h"

namespace dietmt::encoders {
namespace {

/// Two tensors of one shape whose sum is a vector of the network.
struct Parts {
  at::Tensor words;
  at::Tensor positions;
};

at::Tensor parameter(const torch::nn::Module& module, const std::string& name) {
  return module.named_parameters()[name];
}

/// A norm without bias is an RMS norm.
Parts normalize(const InspectedStack& stack, const std::string& norm, const Parts& x) {
  const auto parameters = stack.module.named_parameters();
  const at::Tensor& weight = parameters[norm + ".weight"];
  const at::Tensor* bias = parameters.find(norm + ".bias");
  const auto centred = [&](const at::Tensor& part) {
    return bias == nullptr ? part : part - part.mean(-1, /*keepdim=*/true);
  };
  const at::Tensor words = centred(x.words), positions = centred(x.positions);
  const at::Tensor size =
      (words + positions).square().mean(-1, /*keepdim=*/true).add(stack.norm_epsilon).sqrt();
  const at::Tensor scaled = words / size * weight;
  return {bias == nullptr ? scaled : scaled + *bias, positions / size * weight};
}

/// x [T, D] times W_Q and W_K: queries [T, H, Dh] and keys [T, G, Dh]. An undefined bias is zero.
SentenceVectors projected(const InspectedStack& stack, const at::Tensor& x,
                          const at::Tensor& bias) {
  const at::Tensor weight = parameter(stack.module, "layer0.self_attention.input_weight");
  const at::Tensor product = bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
  const at::Tensor by_head = product.view({x.size(0), -1, stack.head_width()});  // q, k, v
  return {by_head.narrow(1, 0, stack.heads),
          by_head.narrow(1, stack.heads, (by_head.size(1) - stack.heads) / 2)};
}

/// [T, G, Dh] -> [T, H, Dh]
at::Tensor for_all_heads(const at::Tensor& x, int64_t heads) {
  return x.repeat_interleave(heads / x.size(1), 1);
}

}  // namespace

bool InspectedStack::has_norm(const char* name) const {
  return module.named_parameters().contains(std::string(name) + ".weight");
}

at::Tensor positions_of(int64_t length, const at::Tensor& like) {
  return at::arange(length, like.options().dtype(at::kLong));
}

at::Tensor embed(const InspectedStack& stack, const at::Tensor& x) {
  const at::Tensor positions = positions_of(x.size(0), x);
  return stack.position.embed(x, positions, at::zeros_like(positions));
}

VectorParts first_layer_parts(const InspectedStack& stack, const at::Tensor& words,
                              const at::Tensor& positions) {
  Parts input{words, positions};
  if (stack.embedding_norm) input = normalize(stack, "embedding_norm", input);
  if (stack.norm == NormPlacement::kPre)
    input = normalize(stack, "layer0.self_residual.norm", input);
  const SentenceVectors of_words =
      projected(stack, input.words, parameter(stack.module, "layer0.self_attention.input_bias"));
  const SentenceVectors of_positions = projected(stack, input.positions, {});
  Parts queries{of_words.queries, of_positions.queries};
  Parts keys{of_words.keys, of_positions.keys};
  if (stack.has_norm(kQueryNorm)) {
    queries = normalize(stack, kQueryNorm, queries);
    keys = normalize(stack, kKeyNorm, keys);
  }
  return {{queries.words, for_all_heads(keys.words, stack.heads)},
          {queries.positions, for_all_heads(keys.positions, stack.heads)}};
}

SentenceVectors first_layer_vectors(const InspectedStack& stack, const at::Tensor& x) {
  return first_layer_parts(stack, x, at::zeros_like(x)).words;
}

SentenceVectors projected_positions(const InspectedStack& stack, const at::Tensor& positions) {
  const SentenceVectors vectors = projected(stack, positions, {});
  return {vectors.queries, for_all_heads(vectors.keys, stack.heads)};
}

at::Tensor scores_of(const SentenceVectors& vectors, const ScoreTerms& terms, bool causal) {
  if (compresses(terms)) return {};
  if (unties_vectors(terms)) {
    const at::Tensor& q = vectors.queries;
    const auto [queries, keys, left] =
        untie_vectors(q, vectors.keys, positions_of(q.size(0), q), terms);
    return scores_of({queries, keys}, left, causal);
  }
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

}  // namespace dietmt::encoders
