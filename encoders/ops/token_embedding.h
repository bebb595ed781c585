// Vectors of tokens (Vaswani et al. 2017, section 3.4), with positions and dropout in the same pass
// over the rows where a device can do so. On a device they have the type of the pass
// (weight_copies.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <utility>

#include "encoders/ops/dropout_keys.h"

namespace dietmt::encoders {

/// Rows of a table, perhaps with the order in which its gradient adds them up.
struct TokenIds {
  TokenIds(at::Tensor given, at::Tensor sorted = {})  // NOLINT: ids are complete without
      : ids(std::move(given)), order(std::move(sorted)) {}

  at::Tensor ids;    // [N] int64
  at::Tensor order;  // [N] int64, a stable argsort of ids; undefined: the device sorts
};

/// A stable argsort of ids, on the host.
void sort_ids(std::span<const int64_t> ids, int64_t* order);

/// scale * table[ids].
struct TokenEmbedding {
  at::Tensor table;  // [V, D]
  TokenIds rows;
  double scale = 1.0;
};

/// [N, D].
at::Tensor embed(const TokenEmbedding& tokens);

/// Whether the device of the table has a kernel for the function below.
bool embeds_with_positions(const TokenEmbedding& tokens);

/// dropout(scale * table[ids] + position_table[positions]): [N, D]. position_table: [T, D] fp32, or
/// undefined: no positions.
at::Tensor embed(const TokenEmbedding& tokens, const at::Tensor& position_table,
                 const at::Tensor& positions, const DropoutSite& site);

}  // namespace dietmt::encoders
