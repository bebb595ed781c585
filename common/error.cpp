#include "common/error.h"

#include <algorithm>

namespace dietmt {
namespace {

std::string join_lines(const std::vector<std::string>& lines) {
  std::string joined;
  for (const std::string& line : lines) {
    if (!joined.empty()) joined += '\n';
    joined += line;
  }
  return joined;
}

}  // namespace

ConfigError::ConfigError(const std::vector<std::string>& problems) : Error(join_lines(problems)) {}

void throw_if_any(const std::vector<std::string>& problems) {
  if (!problems.empty()) throw ConfigError(problems);
}

void check_choice(std::vector<std::string>& problems, const std::string& option,
                  const std::string& value, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  std::string list;
  for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
  problems.push_back(option + " is '" + value + "'; possible: " + list);
}

void check_probability(std::vector<std::string>& problems, const std::string& option, double p) {
  if (!(p >= 0.0 && p < 1.0))
    problems.push_back(option + " must be at least 0 and below 1, not " + std::to_string(p));
}

void check_positive(std::vector<std::string>& problems, const std::string& option, int64_t value) {
  if (value < 1) problems.push_back(option + " must be positive, not " + std::to_string(value));
}

void check_divisible(std::vector<std::string>& problems, const std::string& option, int64_t value,
                     const std::string& divisor_option, int64_t divisor) {
  if (divisor <= 0 || value % divisor == 0) return;
  problems.push_back(option + " " + std::to_string(value) + " is not divisible by " +
                     divisor_option + " " + std::to_string(divisor));
}

}  // namespace dietmt
