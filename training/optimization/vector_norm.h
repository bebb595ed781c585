// The Euclidean norm of gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace dietmt::training {

/// sqrt of the sum of all squares of all tensors; 0 of none. Summed in fp64 over blocks of fp32
/// sums: an fp32 sum over a large tensor loses digits (0.2 % at 30 million elements), and would
/// make clipping depend on how gradients are cut into tensors.
double vector_norm(const std::vector<at::Tensor>& tensors);

}  // namespace dietmt::training
