#include "data/text/number_forms.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>

namespace dietmt::data {
namespace {

// Arabic has its own separators for groups and decimals.
constexpr std::u32string_view kDecimalSigns = U".,\u066B";
constexpr std::u32string_view kGroupSigns = U".,'\u2019\u066C";

bool is_one_of(char32_t c, std::u32string_view set) { return set.find(c) != set.npos; }
bool is_digit(char32_t c) { return u_isdigit(static_cast<UChar32>(c)); }
bool is_space(char32_t c) { return u_isblank(static_cast<UChar32>(c)) && c != U'\t'; }

// A minus sign before the digit at `at`; between words it is a hyphen.
bool has_minus(std::u32string_view text, size_t at) {
  if (at == 0 || !is_one_of(text[at - 1], U"-\u2212")) return false;
  return at == 1 || u_isUWhiteSpace(static_cast<UChar32>(text[at - 2])) || text[at - 2] == U'(';
}

// Runs of digits, and the characters between them.
struct Number {
  std::u32string written;
  std::vector<std::string> runs;
  std::u32string separators;
  bool is_negative = false;

  bool has_spaces() const { return std::ranges::any_of(separators, is_space); }
};

std::string digits_at(std::u32string_view text, size_t& at) {
  std::string digits;
  for (; at < text.size() && is_digit(text[at]); ++at)
    digits += static_cast<char>('0' + u_charDigitValue(static_cast<UChar32>(text[at])));
  return digits;
}

bool all_equal(std::u32string_view separators) {
  return separators.find_first_not_of(separators.front()) == separators.npos;
}

// Thousands (1 234 567), or lakhs and crores (12,34,567).
bool are_groups(std::span<const std::string> runs, std::u32string_view separators) {
  if (runs.size() < 2 || !all_equal(separators) || runs.front().size() > 3 ||
      runs.front().front() == '0' || runs.back().size() != 3)
    return false;
  const auto middle = runs.subspan(1, runs.size() - 2);
  const auto all_have = [&](size_t digits) {
    return std::ranges::all_of(middle, [&](const auto& run) { return run.size() == digits; });
  };
  return all_have(3) || (runs.front().size() < 3 && all_have(2));
}

bool is_time(const std::string& hours, const std::string& minutes) {
  return hours.size() <= 2 && minutes.size() == 2 && std::stoi(hours) < 24 &&
         std::stoi(minutes) < 60;
}

// Whether what follows a run of digits is a part of the same number. A space is one only between
// groups of thousands.
bool continues(const Number& number, std::u32string_view text, size_t at) {
  if (at + 1 >= text.size() || !is_digit(text[at + 1])) return false;
  if (text[at] == U':') {
    size_t end = at + 1;
    const std::string minutes = digits_at(text.substr(0, std::min(text.size(), at + 4)), end);
    return number.separators.empty() && is_time(number.runs.front(), minutes);
  }
  if (!is_space(text[at]))
    return is_one_of(text[at], kDecimalSigns) || is_one_of(text[at], kGroupSigns);
  size_t end = at + 1;
  const bool is_group = digits_at(text.substr(0, std::min(text.size(), at + 5)), end).size() == 3;
  if (!number.separators.empty()) return is_group && number.separators.back() == text[at];
  return is_group && number.runs.front().size() <= 3 && number.runs.front().front() != '0';
}

std::vector<Number> numbers_of(std::u32string_view text) {
  std::vector<Number> numbers;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    const size_t begin = at;
    Number& number = numbers.emplace_back();
    number.runs.push_back(digits_at(text, at));
    while (continues(number, text, at)) {
      number.separators += text[at++];
      number.runs.push_back(digits_at(text, at));
    }
    number.is_negative = has_minus(text, begin);
    const size_t first = number.is_negative ? begin - 1 : begin;
    number.written = text.substr(first, at - first);
  }
  return numbers;
}

std::string joined(std::span<const std::string> runs) {
  std::string digits;
  for (const std::string& run : runs) digits += run;
  return digits;
}

// The values that a number can have, with a point before its decimals: 1,000 is 1000 or 1.000.
// None: a date, a version or an address.
std::vector<std::string> values_of(const Number& number) {
  const std::span<const std::string> runs = number.runs;
  const std::string minus = number.is_negative ? "-" : "";
  if (runs.size() == 1) return {minus + runs.front()};
  std::vector<std::string> values;
  if (are_groups(runs, number.separators)) values.push_back(minus + joined(runs));
  const std::u32string_view before =
      std::u32string_view(number.separators).substr(0, runs.size() - 2);
  const auto whole = runs.first(runs.size() - 1);
  const char32_t sign = number.separators.back();
  if (is_one_of(sign, kDecimalSigns) && !is_one_of(sign, before) &&
      (whole.size() == 1 || are_groups(whole, before)))
    values.push_back(minus + joined(whole) + "." + runs.back());
  // Some languages write 12:30 as 12.30.
  if (is_one_of(sign, U".:") && runs.size() == 2 && is_time(runs[0], runs[1]))
    values.push_back(runs[0] + ":" + runs[1]);
  return values;
}

// The numbers that a text between spaces, dots or colons may be instead: 24.12.2025 is three.
std::vector<std::string> parts_of(const Number& number) {
  const bool is_one = number.runs.size() > 1 && !number.has_spaces() && number.separators != U":" &&
                      !values_of(number).empty();
  return is_one || number.is_negative ? std::vector<std::string>() : number.runs;
}

// The numbers of a translation, each found once.
class NumberPool {
 public:
  explicit NumberPool(const std::vector<Number>& numbers)
      : numbers_(numbers), is_left_(numbers.size(), true) {
    for (size_t n = numbers.size(); n-- > 0;)
      for (const std::string& value : values_of(numbers[n])) places_[value].push_back(n);
  }

  bool take(const Number& number) {
    const auto values = values_of(number);
    return std::ranges::any_of(values, [&](const std::string& value) {
      std::vector<size_t>& places = places_[value];
      while (!places.empty()) {
        const size_t place = places.back();
        places.pop_back();
        if (!is_left_[place]) continue;
        is_left_[place] = false;
        return true;
      }
      return false;
    });
  }

  // Those left, as single runs of digits.
  std::map<std::string, int64_t> runs_left() const {
    std::map<std::string, int64_t> runs;
    for (size_t n = 0; n < numbers_.size(); ++n) {
      if (!is_left_[n]) continue;
      for (const std::string& part : parts_of(numbers_[n])) ++runs[part];
    }
    return runs;
  }

 private:
  const std::vector<Number>& numbers_;
  std::vector<bool> is_left_;
  std::map<std::string, std::vector<size_t>> places_;  // by value; the first is last
};

}  // namespace

size_t count_numbers(std::u32string_view text) { return numbers_of(text).size(); }

std::vector<std::u32string> missing_numbers(std::u32string_view source,
                                            std::u32string_view translation) {
  const std::vector<Number> found = numbers_of(translation);
  NumberPool pool(found);
  std::vector<Number> left = numbers_of(source);
  std::erase_if(left, [&](const Number& number) { return pool.take(number); });
  std::map<std::string, int64_t> runs = pool.runs_left();
  std::vector<std::u32string> missing;
  for (const Number& number : left) {
    const auto parts = parts_of(number);
    const auto lacking =
        std::ranges::count_if(parts, [&](const std::string& part) { return runs[part]-- <= 0; });
    if (parts.empty() || lacking > 0) missing.push_back(number.written);
  }
  return missing;
}

}  // namespace dietmt::data
