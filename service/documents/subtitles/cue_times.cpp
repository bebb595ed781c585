#include "service/documents/subtitles/cue_times.h"

#include <algorithm>

#include "common/ascii.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kArrow = "-->";

// Removes digits, and returns their number if there are any.
std::optional<int64_t> take_number(std::string_view& line, size_t& digits) {
  constexpr int64_t kMost = 1'000'000;
  skip_spaces(line);
  int64_t number = 0;
  for (digits = 0; digits < line.size() && is_ascii_digit(line[digits]); ++digits)
    number = std::min(number * 10 + (line[digits] - '0'), kMost);
  line.remove_prefix(digits);
  return digits > 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kCueSpaces), text.size()));
}

std::optional<int64_t> take_time(std::string_view& line) {
  constexpr int64_t kMinute = 60, kSecond = 1000;
  constexpr size_t kMostFields = 3;
  std::string_view rest = line;
  const bool is_negative = rest.starts_with('-');
  if (is_negative) rest.remove_prefix(1);
  int64_t seconds = 0, thousandths = 0;
  size_t fields = 0, digits = 0;
  for (; fields < kMostFields; ++fields) {
    const auto number = take_number(rest, digits);
    if (!number) return std::nullopt;
    seconds = seconds * kMinute + *number;
    if (!rest.starts_with(':')) break;
    rest.remove_prefix(1);
  }
  if (fields == 0 || fields == kMostFields) return std::nullopt;
  if (rest.starts_with(',') || rest.starts_with('.')) {
    rest.remove_prefix(1);
    thousandths = take_number(rest, digits).value_or(0);
    for (; digits < 3; ++digits) thousandths *= 10;
    for (; digits > 3; --digits) thousandths /= 10;
  }
  line = rest;
  const int64_t time = seconds * kSecond + thousandths;
  return is_negative ? -time : time;
}

std::optional<CueTimes> cue_times(std::string_view line) {
  skip_spaces(line);
  const auto start = take_time(line);
  skip_spaces(line);
  if (!start || !line.starts_with(kArrow)) return std::nullopt;
  line.remove_prefix(kArrow.size());
  skip_spaces(line);
  const auto end = take_time(line);
  if (!end || !(line.empty() || kCueSpaces.find(line.front()) != kCueSpaces.npos))
    return std::nullopt;
  return CueTimes{*start, *end};
}

bool resembles_times(std::string_view line) {
  if (cue_times(line)) return true;
  skip_spaces(line);
  if (const size_t arrow = line.find(kArrow); arrow != line.npos) {
    std::string_view after = line.substr(arrow + kArrow.size());
    skip_spaces(after);
    if (is_ascii_digit(line.front()) || take_time(after)) return true;
  }
  if (!take_time(line)) return false;
  skip_spaces(line);
  const size_t dashes = std::min(line.find_first_not_of('-'), line.size());
  return dashes > 0 && line.substr(dashes).starts_with('>');
}

}  // namespace dietmt::service
