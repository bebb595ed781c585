// What cleaning removed and why, for people and programs.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

/// A pair as a report shows it, with long sides cut.
struct PairExample {
  int64_t number = 0;  // in the input, from 1
  std::string source, target;
};

struct RuleCount {
  std::string rule;
  int64_t removed = 0;                     // pairs for which it was the first rule that objected
  int64_t objected = 0;                    // pairs that it would have removed by itself
  std::vector<PairExample> examples = {};  // of the removed pairs, drawn evenly

  /// Counts a removed pair, and keeps some of them as examples.
  void remove(int64_t number, std::string_view source, std::string_view target);
};

struct CleaningReport {
  int64_t pairs = 0;
  int64_t kept = 0;
  double seconds = 0.0;
  std::vector<RuleCount> rules;  // in their order

  /// A table for a terminal.
  std::string table() const;
  nlohmann::ordered_json json() const;
  /// `title`: such as the names of the files.
  std::string page(const std::string& title) const;
};

}  // namespace dietmt::data
