// The times of a cue: 00:00:01,000 --> 00:00:02,000 in SubRip and WebVTT, 0:00:01.00 in ASS.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dietmt::service {

inline constexpr std::string_view kCueSpaces = " \t";

/// Removes spaces from the start of a text.
void skip_spaces(std::string_view& text);

struct CueTimes {  // milliseconds
  int64_t start = 0;
  int64_t end = 0;
};

/// Removes a time from the start of a line, as players read it: with a comma or a full stop, with
/// spaces after the colons, with fewer digits.
std::optional<int64_t> take_time(std::string_view& line);

/// Two times with an arrow; anything after them is coordinates or settings.
std::optional<CueTimes> cue_times(std::string_view line);

/// Whether a line seems to be meant as the times of a cue.
bool resembles_times(std::string_view line);

}  // namespace dietmt::service
