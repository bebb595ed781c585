// Rules of cleaning from a file, as OpusFilter and OpusCleaner write them.
#pragma once

#include <string>
#include <vector>

#include "data/cleaning/rule_kinds.h"

namespace dietmt::data {

/// The most rules that may be used together.
inline constexpr size_t kMostRules = 60;

/// Reads a list of rules in YAML or JSON:
///
///   - LengthFilter: {unit: char, max_length: 500}
///   - no_identical
///   - {filter: src_trg_ratio, parameters: {RATIO: 0.5}}
///
/// or a configuration of OpusFilter (the rules of its steps `filter` and `remove_duplicates`) or
/// OpusCleaner (.filters.json). Throws ConfigError with file:line for names and values that no rule
/// has.
std::vector<Rule> read_rules(const std::string& file, const PairFacts& languages);

/// The rules that are used without a file. Those that need languages are left out without them.
std::vector<Rule> default_rules(const PairFacts& languages);

/// The text from which default_rules() are made, for users to change.
std::string default_rules_text(const PairFacts& languages);

}  // namespace dietmt::data
