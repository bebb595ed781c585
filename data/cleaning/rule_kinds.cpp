#include "data/cleaning/rule_kinds.h"

#include <algorithm>
#include <iterator>

#include "common/error.h"
#include "common/options.h"

namespace dietmt::data {

const std::vector<RuleKind>& rule_kinds() {
  static const std::vector<RuleKind> kinds = [] {
    std::vector<RuleKind> all;
    for (const auto& part : {length_rules, character_rules, language_rules, copy_rules,
                             repetition_rules, entropy_rules, duplicate_rules})
      std::ranges::move(part(), std::back_inserter(all));
    return all;
  }();
  return kinds;
}

const RuleKind& find_rule_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const RuleKind& kind : rule_kinds()) {
    if (kind.name == name || std::ranges::count(kind.aliases, name) > 0) return kind;
    names.push_back(kind.name);
    std::ranges::copy(kind.aliases, std::back_inserter(names));
  }
  throw ConfigError("there is no rule '" + name + "'" + suggestion(name, names));
}

std::string rule_kinds_text() {
  std::string text;
  for (const RuleKind& kind : rule_kinds()) {
    text += kind.name;
    for (const std::string& alias : kind.aliases) text += ", " + alias;
    text += ": " + kind.help + '\n';
    for (const RuleParameter& one : kind.parameters) {
      const std::string range = one.rule.text();
      text += "  " + one.name + (one.alias.empty() ? "" : ", " + one.alias) + ": " + one.help +
              (range.empty() ? "" : "; " + range) +
              (one.by_side ? "; a list gives each side its own" : "") +
              (one.default_value.empty() ? "" : "; default: " + one.default_value) + '\n';
    }
  }
  return text;
}

}  // namespace dietmt::data
