// What keeps a model from being written for another program.
#pragma once

#include <string>
#include <vector>

#include "nmt/model/config.h"

namespace dietmt::interchange {

/// The choices of a model that none of the programs written for has, one sentence each, which
/// begins with the name of the program.
std::vector<std::string> choices_of_dietmt(const nmt::ModelConfig& config,
                                           const std::string& program);

}  // namespace dietmt::interchange
