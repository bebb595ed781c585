// Freezes parameters, which training then leaves unchanged.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace dietmt::training {

/// Whether one of the patterns matches `name`, as in matching_names().
bool matches_any(const std::string& name, const std::vector<std::string>& patterns);

/// Those of `names` that match one of `patterns`, in which * stands for any text, ? for one
/// character and [abc] for one of these. Throws ConfigError naming `option` (and the nearest name)
/// if a pattern matches nothing.
std::set<std::string> matching_names(const std::string& option,
                                     const std::vector<std::string>& names,
                                     const std::vector<std::string>& patterns);

/// Freezes the parameters whose names match one of `patterns`: they get no gradient and no
/// optimiser state. Returns how many numbers are frozen. Throws ConfigError like matching_names(),
/// for --freeze, or if nothing is left to train.
int64_t freeze(torch::nn::Module& model, const std::vector<std::string>& patterns);

/// Freezes all parameters except those for whose names `is_trained` returns true. Returns how many
/// numbers are frozen.
int64_t freeze_all_but(torch::nn::Module& model,
                       const std::function<bool(const std::string&)>& is_trained);

}  // namespace dietmt::training
