// Checks of options. They collect all problems, so that a user sees them at once. `option` is the
// name that starts the message, e.g. "--dropout".
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/option_rule.h"

namespace dietmt {

/// How messages name a setting such as max_positions: as an option, --max-positions, or, if it
/// comes from a file, "FILE: max_positions". setting_key() leaves out the file.
std::string setting_name(const std::string& key, const std::string& file);
std::string setting_key(std::string key, const std::string& file);

/// Keys and values of settings that must fit together.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// "--width 64, --heads 2", named in the same way.
std::string settings_list(const Settings& settings, const std::string& file);

/// Reports a value that breaks the rule.
template <typename Value>
void check_range(std::vector<std::string>& problems, const std::string& option,
                 const OptionRule& rule, const Value& value) {
  if (std::string problem = rule.problem(option, value); !problem.empty())
    problems.push_back(std::move(problem));
}

/// Reports a `value` of `option` that is not a multiple of `divisor`. Values that are not positive
/// are left to other checks.
void check_divisible(std::vector<std::string>& problems, const std::string& option, int64_t value,
                     const std::string& divisor_option, int64_t divisor);

/// Rewrites a message about options with the names that requests and libraries use: "--top-k must
/// not ..." becomes "top_k must not ...".
std::string with_field_names(std::string problem);

}  // namespace dietmt
