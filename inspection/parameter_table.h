// The number of parameters of a model by component.
#pragma once

#include <torch/nn/module.h>

#include <string>

namespace dietmt::inspection {

/// Lines "component<TAB>count"; each layer and each position encoding is a component. Then
/// "positions", the sum over all encodings, and "total".
std::string parameter_table(const torch::nn::Module& model);

}  // namespace dietmt::inspection
