// How commands compute with a model, and its size: for those that train and those that only run it.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>

#include "common/options.h"

namespace dietmt::tools {

void add_precision(OptionTable& table, std::string& precision);
void add_attention_backend(OptionTable& table, std::string& backend);

int64_t parameter_count(const torch::nn::Module& model);

}  // namespace dietmt::tools
