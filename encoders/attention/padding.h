// Between packed sentences and a padded block of heads, for backends that need equal lengths.
#pragma once

#include <ATen/core/Tensor.h>

#include "encoders/attention/packing.h"

namespace dietmt::encoders {

/// [N, H, Dh] -> [B, H, T, Dh] with zeros behind each sentence.
at::Tensor pad_heads(const at::Tensor& packed, const Packing& packing);

/// [B, H, T, Dh] -> [N, H, Dh]; what lies behind a sentence is dropped.
at::Tensor unpad_heads(const at::Tensor& padded, const Packing& packing);

}  // namespace dietmt::encoders
