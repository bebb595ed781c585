// Parameters that a training leaves as they are.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::training {

/// Freezes the parameters whose names match one of `patterns`, in which * stands for any text, ?
/// for one character and [abc] for one of these: they get no gradient and no optimiser state.
/// Returns how many numbers are frozen. Throws ConfigError, naming --freeze, if a pattern matches
/// no name (with the nearest one) or nothing is left to train.
int64_t freeze(torch::nn::Module& model, const std::vector<std::string>& patterns);

}  // namespace dietmt::training
