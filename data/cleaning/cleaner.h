// Cleans parallel text: every rule looks at every pair, in several threads, and pairs leave in the
// order in which they came.
//
//   const CleaningReport report = clean(*source, {.rules = default_rules({})}, sink);
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "data/cleaning/cleaning_report.h"
#include "data/cleaning/pair_rule.h"
#include "data/cleaning/pair_source.h"

namespace dietmt::data {

/// The name under which reports count records that no rule can look at: without two sides, or over
/// kMaxLineBytes.
inline constexpr const char* kUnreadable = "unreadable";

/// The entropies of pairs, in their order. Called from several threads.
using PairScorer = std::function<std::vector<PairEntropies>(const std::vector<PairSides>&)>;

struct CleaningOptions {
  const std::vector<Rule>& rules;
  int64_t threads = 1;
  int64_t most_pairs = std::numeric_limits<int64_t>::max();
  std::filesystem::path directory = ".";  // for the keys of duplicates
  PairScorer aligner = {};                // for rules about entropies, by EntropyTest::By
  PairScorer model = {};
};

/// What becomes of a pair. Each returns false if nobody wants more.
struct PairSink {
  /// `line`: the record, if it is a line that holds both sides.
  std::function<bool(const SplitPair& pair, std::string_view line)> keep;
  std::function<bool(const std::string& rule, const SplitPair& pair)> remove;
};

/// Throws what `source` and the sink throw, and Stopped after a signal.
CleaningReport clean(PairSource& source, const CleaningOptions& options, const PairSink& sink);

}  // namespace dietmt::data
