#include "nmt/search/degeneration.h"

#include <algorithm>

namespace dietmt::nmt {
namespace {

constexpr size_t kLongestPeriod = 16;
constexpr size_t kRepeats = 4;
constexpr size_t kShortestStretch = 12;

// Length of the longest run that repeats some 1 to 16 tokens at least four times.
size_t longest_repetition(std::span<const int32_t> tokens) {
  size_t longest = 0;
  for (size_t period = 1; period <= kLongestPeriod; ++period) {
    size_t equal = 0;  // tokens in a row that equal those one period before
    for (size_t i = period; i < tokens.size(); ++i) {
      equal = tokens[i] == tokens[i - period] ? equal + 1 : 0;
      if (equal >= (kRepeats - 1) * period) longest = std::max(longest, equal + period);
    }
  }
  return longest;
}

}  // namespace

Degeneration degeneration(std::span<const int32_t> source, std::span<const int32_t> target) {
  if (source.empty()) return Degeneration::kNone;
  if (target.empty()) return Degeneration::kEmpty;
  const size_t repeated = longest_repetition(target);
  if (repeated >= kShortestStretch && repeated > 2 * longest_repetition(source))
    return Degeneration::kRepetition;
  return target.size() > 3 * source.size() + 20 ? Degeneration::kTooLong : Degeneration::kNone;
}

const char* description(Degeneration sign) {
  switch (sign) {
    case Degeneration::kRepetition:
      return "repeats itself";
    case Degeneration::kTooLong:
      return "is too long";
    case Degeneration::kEmpty:
      return "is empty";
    default:
      return "";
  }
}

}  // namespace dietmt::nmt
