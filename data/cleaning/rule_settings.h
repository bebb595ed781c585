// The parameters of a rule of cleaning: what a file may say about them, and what it says.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/option_rule.h"

namespace dietmt::data {

enum class ParameterType { kNumber, kWhole, kFlag, kText };

struct RuleParameter {
  std::string name;
  ParameterType type = ParameterType::kNumber;
  std::string default_value;  // empty: it depends on the languages
  std::string help;
  OptionRule rule = {};    // of numbers and choices
  bool by_side = false;    // a list of two values gives each side its own
  std::string alias = {};  // OpusCleaner's name
};

class RuleSettings {
 public:
  /// All parameters with their defaults.
  explicit RuleSettings(const std::vector<RuleParameter>& parameters);

  /// Sets a parameter by its name or alias. Throws ConfigError without a place, with a name that
  /// comes close to an unknown one.
  void set(const std::string& name, const std::vector<std::string>& values);

  double number(const std::string& name, size_t side = 0) const;
  bool flag(const std::string& name) const;
  const std::string& text(const std::string& name, size_t side = 0) const;

 private:
  const std::vector<RuleParameter>* parameters_;
  std::map<std::string, std::vector<std::string>> values_;
};

}  // namespace dietmt::data
