// The functions that were running, by name, for the counting device's reports.
#pragma once

#include <array>
#include <string>

namespace dietmt::counting {

struct StackFrames {
  static constexpr int kMost = 48;
  std::array<void*, kMost> addresses;
  int count = 0;

  static StackFrames here();

  /// The functions of dietmt without those of this device, innermost first, one in a line. At most
  /// `most` of them.
  std::string dietmt_functions(int most) const;
};

}  // namespace dietmt::counting
