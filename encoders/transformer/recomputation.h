// Recomputes activations in the backward pass: a part of a model keeps only its inputs and runs
// again. This takes about 20 % more time and a fraction of the memory (Chen et al. 2016, "Training
// Deep Nets with Sublinear Memory Cost").
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "encoders/ops/dropout_keys.h"

namespace dietmt::encoders {

/// A function of its inputs, of parameters and of values that it owns. It runs twice, the second
/// time after its pass has ended.
using Section = std::function<at::Tensor(const std::vector<at::Tensor>& inputs, DropoutKeys* keys)>;

/// section(inputs, keys) and its gradients, bit for bit. `inputs` are all tensors with a gradient
/// that the section reads, except parameters; undefined ones stay undefined.
at::Tensor recomputed(const Section& section, const std::vector<at::Tensor>& inputs,
                      DropoutKeys* keys);

}  // namespace dietmt::encoders
