#include "encoders/attention/vector_terms.h"

#include <ATen/ATen.h>

#include "encoders/attention/padding.h"
#include "encoders/attention/rotation.h"

namespace dietmt::encoders {
namespace {

/// The row of each position: [H|1, T, W] -> [N|1, H|1, W].
at::Tensor rows_of(const at::Tensor& table, const at::Tensor& positions) {
  const at::Tensor by_row = table.transpose(0, 1);
  if (by_row.size(0) == 1) return by_row;
  // The gradient of embedding() adds rows faster than that of index_select().
  const at::Tensor rows = at::embedding(by_row.flatten(1), positions);
  return rows.view({positions.size(0), table.size(0), table.size(2)});
}

at::Tensor shift(const at::Tensor& x, const at::Tensor& table, const at::Tensor& positions) {
  return table.defined() ? x + rows_of(table, positions).to(x.scalar_type()) : x;
}

}  // namespace

at::Tensor move_queries(const at::Tensor& queries, const at::Tensor& positions,
                        const ScoreTerms& terms) {
  const at::Tensor shifted = shift(queries, terms.query_shift, positions);
  if (!terms.query_cosines.defined()) return shifted;
  return rotate(shifted, positions, {terms.query_cosines, terms.query_sines, terms.pairing});
}

at::Tensor move_keys(const at::Tensor& keys, const at::Tensor& positions, const ScoreTerms& terms) {
  const at::Tensor shifted = shift(keys, terms.key_shift, positions);
  if (!terms.key_cosines.defined()) return shifted;
  return rotate(shifted, positions, {terms.key_cosines, terms.key_sines, terms.pairing});
}

bool compresses(const ScoreTerms& terms) { return terms.key_compression.defined(); }

Packing compressed_packing(const Packing& packing, const ScoreTerms& terms) {
  if (!compresses(terms)) return packing;
  const auto sentences = static_cast<size_t>(packing.sentences());
  return Packing(std::vector<int64_t>(sentences, terms.key_compression.size(1)),
                 packing.positions().device());
}

at::Tensor compress(const at::Tensor& rows, const Packing& packing, const at::Tensor& compression) {
  if (!compression.defined()) return rows;
  const at::Tensor padded = pad_heads(rows, packing);  // [B, H, S, Dh], zeros after each sentence
  const at::Tensor weights = compression.narrow(2, 0, packing.max_length()).to(rows.scalar_type());
  return at::matmul(weights, padded).transpose(1, 2).flatten(0, 1);
}

}  // namespace dietmt::encoders
