// Numbers of parameters by component, counted from a configuration before any memory is taken.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dietmt::encoders {

/// Components by the start of their parameters' names, such as "encoder.layer0", and numbers as
/// table_size() has them.
using ParameterCounts = std::vector<std::pair<std::string, double>>;

/// Appends `more` with `prefix` before each name.
void append(ParameterCounts& counts, const std::string& prefix, const ParameterCounts& more);

double total(const ParameterCounts& counts);

/// Whether the components whose names start with `prefix` have a quarter of all parameters.
bool are_large(const ParameterCounts& counts, const std::string& prefix);

}  // namespace dietmt::encoders
