// Checks of options. They collect problems, so that a user sees all of them at once. `option` is
// the name that starts the message, e.g. "--dropout".
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/option_rule.h"

namespace dietmt {

/// How messages name the setting `key`, such as max_positions: as an option, --max-positions, or if
/// it comes from a file as "FILE: max_positions"; setting_key() leaves out the file.
std::string setting_name(const std::string& key, const std::string& file);
std::string setting_key(std::string key, const std::string& file);

/// Keys and values of settings that decide together.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// "--width 64, --heads 2", named in the same way.
std::string settings_list(const Settings& settings, const std::string& file);

/// Unless the rule allows the value.
template <typename Number>
void check_range(std::vector<std::string>& problems, const std::string& option,
                 const OptionRule& rule, Number value) {
  if (std::string problem = rule.problem(option, value); !problem.empty())
    problems.push_back(std::move(problem));
}

/// Unless `value` of `option` is a multiple of `divisor`. Another check reports those
/// that are not positive.
void check_divisible(std::vector<std::string>& problems, const std::string& option, int64_t value,
                     const std::string& divisor_option, int64_t divisor);

/// A message about options under the names that requests and libraries give them:
/// "--top-k must not ..." becomes "top_k must not ...".
std::string with_field_names(std::string problem);

}  // namespace dietmt
