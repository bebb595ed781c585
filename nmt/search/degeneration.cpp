#include "nmt/search/degeneration.h"

#include <algorithm>

namespace dietmt::nmt {
namespace {

constexpr size_t kLongestPeriod = 16;
constexpr size_t kRepeats = 4;
constexpr size_t kShortestStretch = 12;

// A run of tokens that repeats its first `period` tokens.
struct Stretch {
  size_t begin = 0;
  size_t length = 0;
  size_t period = 1;
};

// The longest run that repeats `period` tokens at least `repeats` times.
Stretch longest_stretch(std::span<const int32_t> tokens, size_t period, size_t repeats) {
  Stretch longest{.period = period};
  size_t equal = 0;  // tokens in a row that equal those one period before
  for (size_t i = period; i < tokens.size(); ++i) {
    equal = tokens[i] == tokens[i - period] ? equal + 1 : 0;
    const size_t length = equal + period;
    if (equal >= (repeats - 1) * period && length > longest.length)
      longest = {.begin = i + 1 - length, .length = length, .period = period};
  }
  return longest;
}

// Length of the longest run that repeats some 1 to 16 tokens at least four times.
size_t longest_repetition(std::span<const int32_t> tokens) {
  size_t longest = 0;
  for (size_t period = 1; period <= kLongestPeriod; ++period)
    longest = std::max(longest, longest_stretch(tokens, period, kRepeats).length);
  return longest;
}

// The longest run of a short phrase.
Stretch longest_phrase(std::span<const int32_t> tokens, size_t repeats_of_one) {
  constexpr size_t kLongestPhrase = 8;
  Stretch longest;
  for (size_t period = 1; period <= kLongestPhrase; ++period) {
    const Stretch one = longest_stretch(tokens, period, period == 1 ? repeats_of_one : 2);
    if (one.length > longest.length) longest = one;
  }
  return longest;
}

constexpr size_t kSlack = 20;  // tokens, for short sentences

bool is_over(size_t length, size_t other) { return length > 3 * other + kSlack; }

}  // namespace

Degeneration degeneration(std::span<const int32_t> source, std::span<const int32_t> target) {
  if (source.empty()) return Degeneration::kNone;
  if (target.empty()) return Degeneration::kEmpty;
  const size_t repeated = longest_repetition(target);
  if (repeated >= kShortestStretch && repeated > 2 * longest_repetition(source))
    return Degeneration::kRepetition;
  if (is_over(target.size(), source.size())) return Degeneration::kTooLong;
  return is_over(source.size(), target.size()) ? Degeneration::kTooShort : Degeneration::kNone;
}

int64_t least_length(size_t source_tokens) {
  return source_tokens <= kSlack ? 1 : static_cast<int64_t>((source_tokens - kSlack + 2) / 3);
}

std::span<const int32_t> repeated_phrase(std::span<const int32_t> source,
                                         std::span<const int32_t> target) {
  const Stretch phrase = longest_phrase(target, 3);
  if (4 * phrase.length < 3 * target.size() || phrase.length <= source.size()) return {};
  if (2 * longest_phrase(source, 2).length >= source.size()) return {};
  return target.subspan(phrase.begin, phrase.period);
}

const char* description(Degeneration sign) {
  switch (sign) {
    case Degeneration::kRepetition:
      return "repeats itself";
    case Degeneration::kTooLong:
      return "is too long";
    case Degeneration::kTooShort:
      return "is too short";
    case Degeneration::kEmpty:
      return "is empty";
    default:
      return "";
  }
}

}  // namespace dietmt::nmt
