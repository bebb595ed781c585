#include "data/cleaning/rule_settings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "common/error.h"
#include "common/options.h"

namespace dietmt::data {
namespace {

// Throws ConfigError if the parameter does not accept the value.
void require_valid(const RuleParameter& parameter, const std::string& value) {
  const auto refuse = [&](const std::string& expected) {
    throw ConfigError(parameter.name + " is '" + value + "'; it must be " + expected);
  };
  switch (parameter.type) {
    case ParameterType::kFlag:
      if (value != "true" && value != "false") refuse("true or false");
      return;
    case ParameterType::kText:
      if (!parameter.rule.allows(value)) refuse(parameter.rule.text());
      return;
    case ParameterType::kWhole:
    case ParameterType::kNumber: {
      char* end = nullptr;
      const double number = std::strtod(value.c_str(), &end);
      if (value.empty() || end != value.c_str() + value.size() || !std::isfinite(number))
        refuse("a number");
      if (parameter.type == ParameterType::kWhole && number != std::floor(number))
        refuse("a whole number");
      if (!parameter.rule.allows(number)) refuse(parameter.rule.text());
      return;
    }
  }
}

}  // namespace

RuleSettings::RuleSettings(const std::vector<RuleParameter>& parameters)
    : parameters_(&parameters) {
  for (const RuleParameter& parameter : parameters)
    values_[parameter.name] = {parameter.default_value};
}

void RuleSettings::set(const std::string& name, const std::vector<std::string>& values) {
  const auto found = std::ranges::find_if(*parameters_, [&](const RuleParameter& one) {
    return one.name == name || (!one.alias.empty() && one.alias == name);
  });
  if (found == parameters_->end()) {
    std::vector<std::string> names;
    for (const RuleParameter& one : *parameters_) names.push_back(one.name);
    throw ConfigError("has no parameter '" + name + "'" + suggestion(name, names));
  }
  if (values.empty() || values.size() > 2 || (values.size() == 2 && !found->by_side))
    throw ConfigError(found->name + " has " + std::to_string(values.size()) + " values; it takes " +
                      (found->by_side ? "one, or one for each side" : "one"));
  for (const std::string& value : values) require_valid(*found, value);
  values_[found->name] = values;
}

double RuleSettings::number(const std::string& name, size_t side) const {
  return std::strtod(text(name, side).c_str(), nullptr);
}

bool RuleSettings::flag(const std::string& name) const { return text(name) == "true"; }

const std::string& RuleSettings::text(const std::string& name, size_t side) const {
  const std::vector<std::string>& values = values_.at(name);
  return values[std::min(side, values.size() - 1)];
}

}  // namespace dietmt::data
