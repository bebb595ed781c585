// What becomes of lines of training text that are not UTF-8, or have NUL, which counts as
// ill-formed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/text_io.h"

namespace dietmt::data {

enum class InvalidUtf8 {
  kRefuse,   // such a line is an error
  kReplace,  // ill-formed bytes become U+FFFD
  kSkip,     // the line is left out, of parallel text the pair
};

/// "refuse", "replace" or "skip". Throws ConfigError.
InvalidUtf8 invalid_utf8_from_name(const std::string& name);
std::string to_string(InvalidUtf8 choice);

/// Applies the choice to the lines of one file, and counts those that are not UTF-8.
class Utf8Lines {
 public:
  explicit Utf8Lines(InvalidUtf8 choice) : choice_(choice) {}

  /// False if `line`, the last one of `reader`, is to be left out. May replace bytes. Throws
  /// DataError (file:line) if such lines are refused.
  bool admit(const LineReader& reader, std::string& line);

  int64_t count() const { return count_; }

  /// Warns if there were such lines: "FILE: 12 lines are not UTF-8 and were left out: lines 3, 7,
  /// ...".
  void report(const std::string& file) const;

 private:
  InvalidUtf8 choice_;
  int64_t count_ = 0;
  std::vector<int64_t> first_;  // numbers of the first such lines
};

}  // namespace dietmt::data
