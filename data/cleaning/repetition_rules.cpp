// Text that repeats itself: "very very very", "ha ha ha ha", "!!!!!!!!!".
#include <algorithm>
#include <array>
#include <cstring>

#include "common/utf8.h"
#include "data/cleaning/rule_kinds.h"

namespace dietmt::data {
namespace {

struct Repetition {
  int64_t times;       // after the first
  int64_t min_length;  // in characters
  int64_t max_length;
};

// Searches for a period p for which text[k] == text[k + p] long enough. A period is tried where the
// same few bytes occur again, so that ordinary text is compared rarely, and at most so many bytes
// are compared at each place.
class RepetitionSearch {
 public:
  RepetitionSearch(std::string_view text, const Repetition& wanted)
      : text_(text),
        wanted_(wanted),
        gram_(static_cast<size_t>(std::min<int64_t>(3, wanted.min_length))),
        longest_(4 * static_cast<size_t>(wanted.max_length) + kMostSpaces) {}

  bool found() {
    last_.fill(0);
    for (size_t at = 0; at + gram_ <= text_.size(); ++at) {
      size_t hash = 0;
      for (size_t i = 0; i < gram_; ++i) hash = hash * 67 + static_cast<uint8_t>(text_[at + i]);
      uint32_t& last = last_[hash % last_.size()];
      const size_t before = last;  // one more than its place; 0: none
      last = static_cast<uint32_t>(at + 1);
      if (before == 0 || at + 1 - before > longest_) continue;
      if (is_repeated(before - 1, at + 1 - before)) return true;
    }
    return false;
  }

 private:
  static constexpr size_t kMostSpaces = 16;

  // `period` from `at` on, or from up to a period before.
  bool is_repeated(size_t at, size_t period) const {
    if (text_[at] != text_[at + period]) return false;  // another text with this hash
    size_t begin = at;
    while (begin > 0 && at - begin < period && text_[begin - 1] == text_[begin - 1 + period])
      --begin;
    while (continues_character(text_[begin]) || text_[begin] == ' ')
      if (++begin > at) return false;
    const std::string_view unit = text_.substr(begin, period);
    const int64_t characters =
        std::ranges::count_if(unit, [](char byte) { return !continues_character(byte); });
    const size_t spaces = period - (unit.find_last_not_of(' ') + 1);
    // A short unit, as in "hahaha", counts several times.
    const int64_t joined = std::max<int64_t>(1, (wanted_.min_length + characters - 1) / characters);
    if (characters - static_cast<int64_t>(spaces) > wanted_.max_length) return false;
    const bool counts_without_spaces =
        joined * characters - static_cast<int64_t>(spaces) >= wanted_.min_length;
    const size_t needed =
        static_cast<size_t>(wanted_.times * joined) * period - (counts_without_spaces ? spaces : 0);
    if (begin + period + needed > text_.size()) return false;
    return std::memcmp(text_.data() + begin, text_.data() + begin + period, needed) == 0;
  }

  std::string_view text_;
  const Repetition& wanted_;
  size_t gram_, longest_;
  std::array<uint32_t, 512> last_;
};

PairTest repetition_filter(const RuleSettings& settings, const PairFacts&) {
  const Repetition wanted{.times = static_cast<int64_t>(settings.number("threshold")),
                          .min_length = static_cast<int64_t>(settings.number("min_length")),
                          .max_length = static_cast<int64_t>(settings.number("max_length"))};
  return [wanted](const PairText& pair) {
    return std::ranges::none_of(pair.sides(), [&](const SideText* side) {
      return RepetitionSearch(side->text, wanted).found();
    });
  };
}

}  // namespace

std::vector<RuleKind> repetition_rules() {
  return {
      {.name = "RepetitionFilter",
       .aliases = {},
       .help = "sides in which the same text follows itself, with or without spaces between",
       .parameters = {{.name = "threshold",
                       .type = ParameterType::kWhole,
                       .default_value = "2",
                       .help = "repetitions after the first time that are too many",
                       .rule = {.least = 1, .most = 100}},
                      {.name = "min_length",
                       .type = ParameterType::kWhole,
                       .default_value = "3",
                       .help = "least length of that text, in characters",
                       .rule = {.least = 1, .most = 1000}},
                      {.name = "max_length",
                       .type = ParameterType::kWhole,
                       .default_value = "100",
                       .help = "its greatest length",
                       .rule = {.least = 1, .most = 1000}}},
       .make = repetition_filter},
  };
}

}  // namespace dietmt::data
