#include "encoders/attention/untied_vectors.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "encoders/attention/vector_terms.h"
#include "encoders/device/device.h"
#include "encoders/position/table_cache.h"

namespace dietmt::encoders {
namespace {

/// x_n . table[offset_n] for each token and head: [N, H], fp32 or double.
at::Tensor products(const at::Tensor& x, const at::Tensor& table, const at::Tensor& offsets) {
  const int64_t clip = (table.size(1) - 1) / 2;
  const at::Tensor rows =
      table_rows(table.transpose(0, 1).flatten(1), offsets.clamp(-clip, clip) + clip);
  return (x * rows.unflatten(1, {table.size(0), table.size(2)})).sum(-1);
}

/// 1 for the heads whose vectors are untied, else 0: [H|1].
at::Tensor factors_of_heads(const ScoreTerms& terms, const at::Tensor& like) {
  const std::vector<double> factors(terms.untied_vectors.begin(), terms.untied_vectors.end());
  return copy_to_device(at::tensor(factors, at::kDouble).to(like.scalar_type()), like.device());
}

/// -x as two coordinates of this type, whose sum is more exact than one: [N, H, 2].
at::Tensor negated(const at::Tensor& x, at::ScalarType type) {
  const at::Tensor high = x.to(type);
  return -at::stack({high, (x - high.to(x.scalar_type())).to(type)}, -1);
}

/// What the vectors would add to the scores of pairs with position 0, before the content scale.
struct SummaryProducts {
  at::Tensor row;     // c_0j: [N, H]
  at::Tensor column;  // c_i0: the same
};

SummaryProducts summary_products(const at::Tensor& queries, const at::Tensor& keys,
                                 const at::Tensor& positions, const ScoreTerms& terms) {
  const at::Tensor first = at::arange(positions.size(0), positions.options()) - positions;
  const auto of_summary = [&](const at::Tensor& x) {
    return table_rows(x.flatten(1), first).view_as(x);
  };
  SummaryProducts sums{products(of_summary(queries), terms.relative_keys, positions),
                       products(queries, terms.relative_keys, -positions)};
  if (const at::Tensor& table = terms.relative_queries; table.defined()) {
    sums.row = sums.row + products(keys, table, positions);
    sums.column = sums.column + products(of_summary(keys), table, -positions);
  }
  if (terms.untied_vectors.size() > 1) {
    const at::Tensor factors = factors_of_heads(terms, sums.row);
    sums.row = sums.row * factors;
    sums.column = sums.column * factors;
  }
  return sums;
}

}  // namespace

bool unties_vectors(const ScoreTerms& terms) {
  return std::ranges::find(terms.untied_vectors, true) != terms.untied_vectors.end();
}

at::Tensor widen(const at::Tensor& x) { return at::constant_pad_nd(x, {0, kMoreCoordinates}); }

UntiedVectors untie_vectors(const at::Tensor& queries, const at::Tensor& keys,
                            const at::Tensor& positions, const ScoreTerms& terms) {
  const at::Tensor q = move_queries(queries, positions, terms);
  const at::Tensor k = move_keys(keys, positions, terms);
  const auto [row, column] = summary_products(q, k, positions, terms);
  const at::Tensor is_first = (positions == 0).unsqueeze(1);
  const at::Tensor ones =
      is_first.unsqueeze(2).to(q.scalar_type()).expand({q.size(0), q.size(1), 2});
  const at::Tensor rest = q.new_zeros({q.size(0), q.size(1), kMoreCoordinates - 4});
  UntiedVectors untied{
      at::cat({q, ones, negated(column.masked_fill(is_first, 0.0), q.scalar_type()), rest}, 2),
      at::cat({k, negated(row, k.scalar_type()), ones, rest}, 2), terms};
  ScoreTerms& left = untied.terms;
  for (at::Tensor* table : {&left.relative_keys, &left.relative_queries, &left.relative_values})
    if (table->defined()) *table = widen(*table);
  for (at::Tensor* table : {&left.query_shift, &left.key_shift, &left.query_cosines,
                            &left.query_sines, &left.key_cosines, &left.key_sines})
    *table = at::Tensor();
  left.untied_vectors = {false};
  return untied;
}

}  // namespace dietmt::encoders
