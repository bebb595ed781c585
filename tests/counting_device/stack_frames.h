// The names of running functions, for the counting device's reports.
#pragma once

#include <array>
#include <string>

namespace dietmt::counting {

struct StackFrames {
  static constexpr int kMost = 48;
  std::array<void*, kMost> addresses;
  int count = 0;

  static StackFrames here();

  /// At most `most` of dietmt's functions, except this device's, innermost first, one per line.
  std::string dietmt_functions(int most) const;
};

}  // namespace dietmt::counting
