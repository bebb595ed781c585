// A rule of cleaning looks at a pair of lines and keeps it or objects to it. data/cleaning/
// rule_kinds.h lists the kinds of rules by their names in files.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "data/cleaning/side_text.h"

namespace dietmt::data {

struct PairText {
  SideText source;
  SideText target;
  std::optional<double> score = {};  // from a column of the text

  std::array<const SideText*, 2> sides() const { return {&source, &target}; }
};

/// True if the rule keeps the pair. Called from several threads.
using PairTest = std::function<bool(const PairText&)>;

struct PairSides {
  std::string_view source, target;
};

/// Cross-entropies, in nats per token of a translation model or per word of the aligner.
struct PairEntropies {
  double target = 0.0;                // of the target, given the source
  std::optional<double> source = {};  // of the source, given the target
};

/// The dual conditional cross-entropy of Junczys-Dowmunt (2018), between 0 and 1: high if both
/// entropies are low and near each other.
double dual_score(double forward, double reverse);

struct EntropyTest {
  enum class By { kModel, kAligner };

  By by = By::kModel;
  std::function<bool(const PairEntropies&)> keeps;  // called from several threads
};

/// Pairs with one key are duplicates; the first of them stays.
struct DuplicateKey {
  bool source = true, target = true;  // the sides that count
  bool lowercase = false;
  bool letters_only = false;
  uint64_t seed = 0;

  uint64_t of(const PairText& pair) const;
};

using RuleTest = std::variant<PairTest, EntropyTest, DuplicateKey>;

struct Rule {
  std::string name;  // in reports
  RuleTest test;
};

}  // namespace dietmt::data
