// The values that an option or a setting in a file accepts, and the message about others.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dietmt {

/// For a list, it applies to each value.
struct OptionRule {
  bool required = false;
  bool is_new = false;  // a path where nothing exists yet
  std::vector<std::string> choices = {};
  std::optional<double> least = {}, above = {};  // inclusive, exclusive
  std::optional<double> most = {}, below = {};   // inclusive, exclusive

  bool allows(const std::string& value) const;
  bool allows(double value) const;
  /// "post or pre", "at least 0 and below 1"; "" if every value is allowed.
  std::string text() const;
  /// "NAME is -1; it must be at least 0", or "".
  std::string problem(const std::string& name, const std::string& value) const;
  std::string problem(const std::string& name, int64_t value) const;
  std::string problem(const std::string& name, double value) const;
  std::string problem(const std::string&, std::same_as<bool> auto) const { return {}; }

  /// Default bound of numbers: kMost and -kMost.
  static constexpr double kMost = 1e9;
};

/// A number with the fewest digits that round-trip.
std::string text_of(double value);

/// The nearest 64-bit integer.
int64_t nearest_whole(double value);

/// Ranges shared by options of several commands and settings of models.
namespace ranges {

inline const OptionRule kLayers{.least = 1, .most = 1024};
inline const OptionRule kWidth{.least = 1, .most = 65536};
inline const OptionRule kFeedForward{.least = 1, .most = 1 << 20};
inline const OptionRule kHeads{.least = 1, .most = 1024};
inline const OptionRule kMaxPositions{.least = 1, .most = 1 << 20};
inline const OptionRule kVocabulary{.least = 1, .most = 10'000'000};
inline const OptionRule kDropout{.least = 0, .below = 1};
inline const OptionRule kSeed{.least = 0, .most = 0x1p63};
inline const OptionRule kLearningRate{.least = 0, .most = 1000};
inline const OptionRule kThreads{.least = 0, .most = 1024};  // 0: the machine's cores
inline const OptionRule kBatchTokens{.least = 1, .most = 10'000'000};
inline const OptionRule kBytes{.least = 0, .most = 1e15};

}  // namespace ranges
}  // namespace dietmt
