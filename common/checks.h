// Checks of options. They collect problems, so that a user sees all of them at once. `option` is
// the name that starts the message, e.g. "--dropout".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt {

/// Unless `value` is one of `choices`.
void check_choice(std::vector<std::string>& problems, const std::string& option,
                  const std::string& value, const std::vector<std::string>& choices);

/// Unless 0 <= p < 1.
void check_probability(std::vector<std::string>& problems, const std::string& option, double p);

/// Unless value > 0.
void check_positive(std::vector<std::string>& problems, const std::string& option, int64_t value);

/// Unless `value` of `option` is a multiple of `divisor`. A divisor that is not
/// positive is reported by another check.
void check_divisible(std::vector<std::string>& problems, const std::string& option, int64_t value,
                     const std::string& divisor_option, int64_t divisor);

}  // namespace dietmt
