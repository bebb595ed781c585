// Why a model cannot be exported to another program.
#pragma once

#include <string>
#include <vector>

#include "nmt/model/config.h"

namespace dietmt::interchange {

/// The properties of a model that no export supports, one sentence each, beginning with the
/// program's name.
std::vector<std::string> choices_of_dietmt(const nmt::ModelConfig& config,
                                           const std::string& program);

}  // namespace dietmt::interchange
