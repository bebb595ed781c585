// Parts of a model that keep their inputs alone for backward, which runs them again: a third more
// time for a fraction of the memory (Chen et al. 2016, "Training Deep Nets with Sublinear Memory
// Cost").
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "encoders/ops/dropout_keys.h"

namespace dietmt::encoders {

/// A function of its inputs, of parameters and of what it holds by value: it runs twice, the second
/// time when the pass that it belonged to is over.
using Section = std::function<at::Tensor(const std::vector<at::Tensor>& inputs, DropoutKeys* keys)>;

/// section(inputs, keys), to the last bit, with its gradients. `inputs` are all tensors with a
/// gradient that the section reads besides parameters; undefined ones stay undefined.
at::Tensor recomputed(const Section& section, const std::vector<at::Tensor>& inputs,
                      DropoutKeys* keys);

}  // namespace dietmt::encoders
