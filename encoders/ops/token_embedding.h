// Vectors of tokens (Vaswani et al. 2017, section 3.4), with positions and dropout in the same pass
// over the rows where a device can do so. On a device they have the type of the pass
// (weight_copies.h).
#pragma once

#include <ATen/core/Tensor.h>

#include "encoders/ops/dropout_keys.h"

namespace dietmt::encoders {

/// scale * table[ids].
struct TokenEmbedding {
  at::Tensor table;  // [V, D]
  at::Tensor ids;    // [N] int64
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
