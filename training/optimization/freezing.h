// Parameters that a training leaves as they are.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace dietmt::training {

/// Whether one of the patterns stands for `name`, as in matching_names().
bool matches_any(const std::string& name, const std::vector<std::string>& patterns);

/// Those of `names` that match one of `patterns`, in which * stands for any text, ? for one
/// character and [abc] for one of these. Throws ConfigError, naming `option`, if a pattern matches
/// none (with the nearest one).
std::set<std::string> matching_names(const std::string& option,
                                     const std::vector<std::string>& names,
                                     const std::vector<std::string>& patterns);

/// Freezes the parameters whose names match one of `patterns`: they get no gradient and
/// no optimiser state. Returns how many numbers are frozen. Throws ConfigError as matching_names()
/// of --freeze, or if nothing is left to train.
int64_t freeze(torch::nn::Module& model, const std::vector<std::string>& patterns);

/// Freezes all parameters except those for whose names `is_trained` is true. Returns how many
/// numbers are frozen.
int64_t freeze_all_but(torch::nn::Module& model,
                       const std::function<bool(const std::string&)>& is_trained);

}  // namespace dietmt::training
