// Rules about what both sides must share, and what they must not.
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "data/cleaning/rule_kinds.h"
#include "data/text/copy_check.h"
#include "data/text/number_forms.h"
#include "data/text/word_text.h"

namespace dietmt::data {
namespace {

// The characters that count when two sides are compared, one after the other.
class ComparedText {
 public:
  ComparedText(std::string_view text, bool folds, bool drops_signs)
      : text_(text), folds_(folds), drops_signs_(drops_signs) {}

  /// -1 at the end.
  UChar32 next() {
    const auto* bytes = reinterpret_cast<const uint8_t*>(text_.data());
    const auto end = static_cast<int64_t>(text_.size());
    while (at_ < end) {
      UChar32 code = 0;
      U8_NEXT(bytes, at_, end, code);
      if (code < 0) code = 0xFFFD;
      if (drops_signs_ && !u_isalnum(code) && u_getCombiningClass(code) == 0) continue;
      return folds_ ? static_cast<UChar32>(folded(static_cast<char32_t>(code))) : code;
    }
    return -1;
  }

 private:
  std::string_view text_;
  bool folds_, drops_signs_;
  int64_t at_ = 0;
};

PairTest no_identical(const RuleSettings& settings, const PairFacts&) {
  return [folds = settings.flag("ignore_case"), drops_signs = settings.flag("ignore_punctuation"),
          least = settings.number("min_words")](const PairText& pair) {
    if (static_cast<double>(pair.source.words) < least) return true;
    if (pair.source.text == pair.target.text) return false;
    if (drops_signs && pair.source.letters + pair.source.digits == 0) return true;
    ComparedText source(pair.source.text, folds, drops_signs);
    ComparedText target(pair.target.text, folds, drops_signs);
    for (;;) {
      const UChar32 one = source.next();
      if (one != target.next()) return true;
      if (one < 0) return false;
    }
  };
}

// How often each digit occurs.
std::array<int64_t, 10> digits_in(std::string_view text) {
  std::array<int64_t, 10> counts{};
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto end = static_cast<int64_t>(text.size());
  for (int64_t at = 0; at < end;) {
    UChar32 code = 0;
    U8_NEXT(bytes, at, end, code);
    const int32_t value = code < 0x80 ? code - '0' : u_charDigitValue(code);
    if (value >= 0 && value < 10) ++counts[static_cast<size_t>(value)];
  }
  return counts;
}

PairTest non_zero_numerals(const RuleSettings& settings, const PairFacts&) {
  return [least = settings.number("threshold")](const PairText& pair) {
    if (pair.source.digits + pair.target.digits == 0) return true;
    const std::array<int64_t, 10> source = digits_in(pair.source.text);
    const std::array<int64_t, 10> target = digits_in(pair.target.text);
    int64_t shared = 0, all = 0;
    for (size_t digit = 1; digit < 10; ++digit) {
      shared += 2 * std::min(source[digit], target[digit]);
      all += source[digit] + target[digit];
    }
    return static_cast<double>(shared) >= least * static_cast<double>(all);
  };
}

PairTest num_mismatch(const RuleSettings& settings, const PairFacts&) {
  return [least = settings.number("ratio")](const PairText& pair) {
    if (pair.source.digits + pair.target.digits == 0) return true;
    const std::u32string source = characters_of(pair.source.text);
    const std::u32string target = characters_of(pair.target.text);
    const size_t missing = missing_numbers(source, target).size();
    const size_t differing = missing + missing_numbers(target, source).size();
    const size_t shared = count_numbers(source) - missing;
    return static_cast<double>(shared) >= least * static_cast<double>(shared + differing);
  };
}

bool may_have_address(std::string_view text) {
  return text.find("://") != text.npos || text.find("www.") != text.npos ||
         text.find('@') != text.npos;
}

PairTest url_mismatch(const RuleSettings&, const PairFacts&) {
  return [](const PairText& pair) {
    if (!may_have_address(pair.source.text) && !may_have_address(pair.target.text)) return true;
    std::vector<std::string> source = addresses_in(pair.source.text);
    std::vector<std::string> target = addresses_in(pair.target.text);
    std::ranges::sort(source);
    std::ranges::sort(target);
    return source == target;
  };
}

}  // namespace

std::vector<RuleKind> copy_rules() {
  return {
      {.name = "no_identical",
       .aliases = {"IdenticalFilter"},
       .help = "pairs whose sides are equal",
       .parameters = {{.name = "ignore_case",
                       .type = ParameterType::kFlag,
                       .default_value = "true",
                       .help = "also if only capitals differ"},
                      {.name = "ignore_punctuation",
                       .type = ParameterType::kFlag,
                       .default_value = "true",
                       .help = "also if only characters that are no letters and digits differ"},
                      {.name = "min_words",
                       .default_value = "1",
                       .help = "words of a source that may not stay as it is; names have fewer",
                       .rule = {.least = 0, .most = 1e9}}},
       .make = no_identical},
      {.name = "NonZeroNumeralsFilter",
       .aliases = {},
       .help = "pairs whose digits from 1 to 9 differ: twice the number of those that both have, "
               "divided by the number of all; their order does not count",
       .parameters = {{.name = "threshold",
                       .default_value = "0.5",
                       .help = "least ratio",
                       .rule = {.least = 0, .most = 1}}},
       .make = non_zero_numerals},
      {.name = "num_mismatch",
       .aliases = {},
       .help = "pairs whose numbers differ; 1,000.5 and 1.000,5 are equal",
       .parameters = {{.name = "ratio",
                       .default_value = "1",
                       .help = "least share of numbers that both sides have",
                       .rule = {.least = 0, .most = 1},
                       .alias = "RATIO"}},
       .make = num_mismatch},
      {.name = "url_mismatch",
       .aliases = {},
       .help = "pairs whose URLs and e-mail addresses differ",
       .parameters = {},
       .make = url_mismatch},
  };
}

}  // namespace dietmt::data
