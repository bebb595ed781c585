// The options of a training by name: what the parts of a resumed training, and the processes of
// one, must have in common.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dietmt::training {

/// Options by name, as text.
using Configuration = std::map<std::string, std::string>;

/// "  --name: was a, is b" for each option that differs. The names of parallel texts do not count:
/// their content is compared (TranslationTask::restore_data_position).
std::vector<std::string> configuration_differences(const Configuration& before,
                                                   const Configuration& now);

}  // namespace dietmt::training
