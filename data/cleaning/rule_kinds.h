// The kinds of rules that cleaning knows, by the names that OpusFilter and OpusCleaner give them.
//
//   for (const RuleKind& kind : rule_kinds()) ...  // name, help and parameters of each
//
// Each source length_rules.cpp, character_rules.cpp, copy_rules.cpp ... defines some of them.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "data/cleaning/pair_rule.h"
#include "data/cleaning/rule_settings.h"

namespace dietmt::data {

/// What is known of all pairs.
struct PairFacts {
  std::string source = {};  // code of the language; empty: not given
  std::string target = {};
  bool has_scores = false;
  bool has_score_model = false;    // entropies of targets
  bool has_reverse_model = false;  // entropies of sources too
};

struct RuleKind {
  std::string name;                  // OpusFilter's, or OpusCleaner's if it is in small letters
  std::vector<std::string> aliases;  // other names of the same rule
  std::string help;                  // which pairs it removes
  std::vector<RuleParameter> parameters;
  /// Throws ConfigError without a place.
  std::function<RuleTest(const RuleSettings&, const PairFacts&)> make;
};

const std::vector<RuleKind>& rule_kinds();

/// The kind with this name or alias. Throws ConfigError with a name that comes close.
const RuleKind& find_rule_kind(const std::string& name);

/// The names, parameters, defaults and help of all kinds, for people.
std::string rule_kinds_text();

std::vector<RuleKind> length_rules();
std::vector<RuleKind> character_rules();
std::vector<RuleKind> language_rules();
std::vector<RuleKind> copy_rules();
std::vector<RuleKind> repetition_rules();
std::vector<RuleKind> duplicate_rules();
std::vector<RuleKind> entropy_rules();

}  // namespace dietmt::data
