// One vector an input from the states of its tokens.
#pragma once

#include <ATen/core/Tensor.h>

#include "encoders/attention/packing.h"

namespace dietmt::encoders {

/// The state of the first token, [CLS]. hidden: [N, D]. Returns [B, D], as the others do.
at::Tensor first_states(const at::Tensor& hidden, const Packing& packing);

/// The mean over all tokens, special ones too.
at::Tensor mean_states(const at::Tensor& hidden, const Packing& packing);

/// The largest value of each dimension over all tokens.
at::Tensor max_states(const at::Tensor& hidden, const Packing& packing);

}  // namespace dietmt::encoders
