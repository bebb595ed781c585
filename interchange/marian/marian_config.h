// The options of Marian that its .npz files hold, special:model.yml.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nmt/model/config.h"

namespace dietmt::interchange {

/// Values by the names of Marian's options.
using MarianOptions = std::map<std::string, std::vector<std::string>>;

/// Sizes and choices, with the vocabularies of the file. Throws ConfigError with every choice that
/// this program does not have.
nmt::ModelConfig from_marian(const MarianOptions& options);

}  // namespace dietmt::interchange
