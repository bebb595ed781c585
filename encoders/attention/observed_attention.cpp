#include "encoders/attention/observed_attention.h"

#include <ATen/ATen.h>

#include "common/error.h"
#include "encoders/attention/backends.h"
#include "encoders/attention/vector_terms.h"
#include "encoders/position/term_table.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

// The terms of one head, after the vectors have moved.
ScoreTerms of_head(ScoreTerms terms, int64_t head) {
  for (const Term& term : kTerms) {
    Tensor& table = terms.*term.table;
    if (table.defined() && table.size(0) > 1) table = table.narrow(0, head, 1);
  }
  if (terms.content_scale.size() > 1)
    terms.content_scale = {terms.content_scale[static_cast<size_t>(head)]};
  return terms;
}

Tensor sentence_of(const Tensor& rows, const Packing& packing, int64_t b) {
  const auto s = static_cast<size_t>(b);
  return rows.narrow(0, packing.offsets()[s], packing.lengths()[s]).transpose(0, 1);
}

}  // namespace

std::vector<Tensor> attention_probabilities(const ObservedAttention& observed,
                                            const Packing& queries, const Packing& keys,
                                            int64_t head) {
  if (compresses(observed.terms))
    throw ConfigError("compressed keys of cross-attention are not tokens: they align no words");
  Tensor q = move_queries(observed.queries, queries.positions(), observed.terms).to(at::kFloat);
  Tensor k = move_keys(observed.keys, keys.positions(), observed.terms).to(at::kFloat);
  ScoreTerms terms = observed.terms;
  if (head >= 0) {
    q = q.narrow(1, head, 1);
    k = k.narrow(1, head, 1);
    terms = of_head(std::move(terms), head);
  }
  std::vector<Tensor> probabilities;
  for (int64_t b = 0; b < queries.sentences(); ++b) {
    Sentence sentence;
    sentence.q = sentence_of(q, queries, b);
    sentence.k = sentence_of(k, keys, b);
    probabilities.push_back(sentence_probabilities(sentence, terms).mean(0));
  }
  return probabilities;
}

}  // namespace dietmt::encoders
