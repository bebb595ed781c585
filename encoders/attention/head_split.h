// Queries, keys and values of one fused projection, side by side in memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace dietmt::encoders {

/// The parts of [N, P, H, Dh], each [N, H, Dh], as views. If their gradients are parts of one
/// tensor (empty_like_parts), that tensor becomes the gradient without a copy.
std::vector<at::Tensor> split_heads(const at::Tensor& projected);

/// True if the tensors, each [N, H, Dh], are all parts of one [N, P, H, Dh], in order.
bool are_parts(const std::vector<at::Tensor>& tensors);

/// Uninitialised tensors like `tensors`: parts of one [N, P, H, Dh] if those are.
std::vector<at::Tensor> empty_like_parts(const std::vector<at::Tensor>& tensors);

}  // namespace dietmt::encoders
