// The options of the command line under the names that requests and libraries give them.
#pragma once

#include <string>

namespace dietmt {

/// "--top-k must not ..." becomes "top_k must not ...".
std::string with_field_names(std::string problem);

}  // namespace dietmt
