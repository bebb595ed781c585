// The plural forms that a language needs.
#pragma once

#include <string>
#include <vector>

namespace dietmt::service {

/// The categories of CLDR that whole numbers have (zero, one, two, few, many), and "other".
std::vector<std::string> plural_categories(const std::string& language);

}  // namespace dietmt::service
