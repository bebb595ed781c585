// Options that would have no effect.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "common/options.h"

namespace dietmt::tools {

/// Adds the problem "--NAME needs NEEDED" for each of these options that was changed.
void refuse_unused(const OptionTable& table, std::initializer_list<const char*> names,
                   const std::string& needed, std::vector<std::string>& problems);

/// Warns of each of these options that was changed: it has no effect with `given`.
void warn_of_unused(const OptionTable& table, std::initializer_list<const char*> names,
                    const std::string& given);

}  // namespace dietmt::tools
