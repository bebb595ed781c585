// Copies packed sentences into a padded block of heads and back, for backends that need equal
// lengths.
#pragma once

#include <ATen/core/Tensor.h>

#include "encoders/attention/packing.h"

namespace dietmt::encoders {

/// [N, H, Dh] -> [B, H, T, Dh] with zeros after each sentence.
at::Tensor pad_heads(const at::Tensor& packed, const Packing& packing);

/// [B, H, T, Dh] -> [N, H, Dh]; drops the padding after each sentence.
at::Tensor unpad_heads(const at::Tensor& padded, const Packing& packing);

}  // namespace dietmt::encoders
