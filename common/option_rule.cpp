#include "common/option_rule.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace dietmt {
namespace {

std::string sentence(const OptionRule& rule, const std::string& name, const std::string& value) {
  return name + " is " + value + "; it must be " + rule.text();
}

}  // namespace

int64_t nearest_whole(double value) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  return value >= 0x1p63 ? kLargest : static_cast<int64_t>(value);
}

std::string text_of(double value) {
  constexpr double kWholeUpTo = 1e15;
  if (value == std::floor(value) && (std::abs(value) < kWholeUpTo || value == 0x1p63))
    return std::to_string(nearest_whole(value));
  char shortest[32];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(shortest, sizeof shortest, "%.*g", digits, value);
    if (std::strtod(shortest, nullptr) == value) break;
  }
  return shortest;
}

bool OptionRule::allows(const std::string& value) const {
  return choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end();
}

// Written so that NaN satisfies no bound.
bool OptionRule::allows(double value) const {
  return (!least || value >= *least) && (!most || value <= *most) && (!above || value > *above) &&
         (!below || value < *below);
}

std::string OptionRule::text() const {
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 < choices.size() ? ", " : " or ";
    text += choices[i];
  }
  if (least && most) return "from " + text_of(*least) + " to " + text_of(*most);
  const auto bound = [&](const char* words, const std::optional<double>& value) {
    if (value) text += (text.empty() ? "" : " and ") + std::string(words) + text_of(*value);
  };
  bound("at least ", least);
  bound("above ", above);
  bound("at most ", most);
  bound("below ", below);
  return text;
}

std::string OptionRule::problem(const std::string& name, const std::string& value) const {
  return allows(value) ? "" : sentence(*this, name, "'" + value + "'");
}
std::string OptionRule::problem(const std::string& name, int64_t value) const {
  return allows(static_cast<double>(value)) ? "" : sentence(*this, name, std::to_string(value));
}
std::string OptionRule::problem(const std::string& name, double value) const {
  return allows(value) ? "" : sentence(*this, name, text_of(value));
}

}  // namespace dietmt
