#include "nmt/alignment/unit_finder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "nmt/alignment/joined_text.h"
#include "nmt/alignment/mark_syntax.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

class UnitFinder {
 public:
  explicit UnitFinder(const MarkedText& raw)
      : text_(raw.text), marks_(raw.marks), next_word_(next_words(raw.text)) {}

  std::vector<Unit> find() {
    for (size_t m = 0; m < marks_.size();) {
      const size_t last = end_of_empty(m);
      if (last > m) units_.push_back({m, last, marks_[m].at, marks_[last - 1].at});
      m = std::max(last, m + 1);
    }
    for (size_t u = 0; u < units_.size(); ++u) add_compound(u);
    for (size_t u = 0; u < units_.size(); ++u) add_brackets(u);
    merge();
    for (size_t u = 0; u < units_.size(); ++u) add_brackets(u);
    for (size_t u = 0; u < units_.size(); ++u) add_separators(u);
    keep_override_code();
    return std::move(units_);
  }

 private:
  // End of the marks of a point, or of an element that has no words, only points or nothing.
  size_t end_of_empty(size_t m) const {
    const InlineMark& mark = marks_[m];
    if (mark.kind == InlineMark::Kind::kPoint) return m + 1;
    if (mark.kind != InlineMark::Kind::kOpen || mark.partner < 0) return m;
    const auto close = static_cast<size_t>(mark.partner);
    const int32_t end = marks_[close].at;
    if (has_word_between(mark.at, end)) return m;
    bool has_point = false;
    for (size_t i = m + 1; i < close; ++i) {
      has_point = has_point || marks_[i].kind == InlineMark::Kind::kPoint;
      const bool is_lone = marks_[i].kind != InlineMark::Kind::kPoint && marks_[i].partner < 0;
      if (is_lone) return m;
    }
    const bool is_blank = slice(mark.at, end).find_first_not_of(" \t") == std::string_view::npos;
    return has_point || is_blank ? close + 1 : m;
  }

  void add_compound(size_t u) {
    Unit& unit = units_[u];
    if (!stands_as_text(u)) return;
    const std::string& first = marks_[unit.first].parts.front().text;
    const std::string& last = marks_[unit.last - 1].parts.front().text;
    const std::string_view left = left_of(u), right = right_of(u);
    const int32_t joined_after = bytes_joined_after(right);
    const std::string_view after = right.substr(0, at(joined_after));
    if (!first.starts_with('&') || first == "&gt;") unit.begin -= bytes_joined_before(left, after);
    if (!last.starts_with('&') || last == "&lt;") unit.end += joined_after;
  }

  // A tag that touches a word may just format it: <x id="1"/>bold<x id="2"/>. An element around
  // references, <b>&nbsp;</b>, does not stand for text.
  bool stands_as_text(size_t u) const {
    const bool touches_word = is_word_character(last_character(left_of(u))) ||
                              is_word_character(first_character(right_of(u)));
    for (size_t m = units_[u].first; m < units_[u].last; ++m) {
      const std::string& mark = marks_[m].parts.front().text;
      const bool is_point = marks_[m].kind == InlineMark::Kind::kPoint;
      const bool is_inner_reference = mark.starts_with('&') && units_[u].last > units_[u].first + 1;
      if (is_point && stands_for_text(mark) && !is_inner_reference) return true;
      if (is_point && !touches_word && may_stand_for_text(mark)) return true;
    }
    return false;
  }

  void add_brackets(size_t u) {
    Unit& unit = units_[u];
    while (true) {
      const std::string_view left = left_of(u), right = right_of(u);
      const char32_t opening = last_character(left), closing = first_character(right);
      if (!is_pair(opening, closing)) return;
      unit.begin -= bytes_of_last(left);
      unit.end += bytes_of_first(right);
    }
  }

  // Merges units without a word or the end of a sentence between them.
  void merge() {
    std::vector<Unit> merged;
    for (const Unit& unit : units_) {
      if (!merged.empty() && are_one(merged.back(), unit)) {
        merged.back().last = unit.last;
        merged.back().end = unit.end;
      } else {
        merged.push_back(unit);
      }
    }
    units_ = std::move(merged);
  }

  bool are_one(const Unit& unit, const Unit& next) const {
    if (unit.last != next.first || has_word_between(unit.end, next.begin)) return false;
    const std::string_view between = slice(unit.end, next.begin);
    const bool ends = ends_sentence(first_character(between)) && between.size() > 1;
    return !ends && has_pairs_of_brackets(between);
  }

  // Adds punctuation that would have nothing left to separate.
  void add_separators(size_t u) {
    Unit& unit = units_[u];
    const std::string_view left = trimmed_right(left_of(u)), right = right_of(u);
    const bool starts_text = left.empty() && unit.begin == size_of(left_of(u));
    const bool has_words_after = next_word_[at(unit.end)] < size_of(text_);
    const bool ends_text = right.find_first_not_of(" \t") == std::string_view::npos &&
                           unit.end + size_of(right) == size_of(text_);
    const char32_t before = last_character(left), after = first_character(right);
    const bool starts_sentence =
        starts_text || (ends_sentence(before) && left.size() < left_of(u).size());
    if (starts_sentence && ends_phrase(after) && has_words_after) {
      unit.end += run_of_phrase_ends(right);
      if (starts_text) unit.place = InlineMark::Place::kStart;
      return;
    }
    if (starts_text && (starts_with_bracket(unit) || starts_apart(right)))
      unit.place = InlineMark::Place::kStart;
    if (!has_words_after && before == U':') unit.place = InlineMark::Place::kEnd;
    const bool is_left_over = ends_phrase(after) || (ends_text && before != U':');
    if (separates(before) && is_left_over) {
      unit.begin -= size_of(left_of(u)) - size_of(left) + bytes_of_last(left);
      if (!has_words_after) unit.place = InlineMark::Place::kEnd;
    }
  }

  // {\an8} before a subtitle applies to all of it.
  void keep_override_code() {
    if (units_.empty() || units_.front().first != 0 || units_.front().begin != 0) return;
    if (is_override_code(marks_.front().parts.front().text))
      units_.front().place = InlineMark::Place::kStart;
  }

  static bool separates(char32_t c) {
    return c != 0 &&
           std::u32string_view(U",;:-=|\u2013\u2014，；：、").find(c) != std::u32string_view::npos;
  }

  bool starts_with_bracket(const Unit& unit) const {
    return unit.begin < marks_[unit.first].at &&
           std::string_view("([{").find(text_[at(unit.begin)]) != std::string_view::npos;
  }

  // Whether a text begins with punctuation after spaces.
  static bool starts_apart(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t");
    return begin != 0 && begin != std::string_view::npos &&
           !is_word_character(first_character(text.substr(begin)));
  }

  static int32_t run_of_phrase_ends(std::string_view text) {
    int32_t bytes = 0;
    while (ends_phrase(first_character(text))) {
      bytes += bytes_of_first(text);
      drop_first(text);
    }
    return bytes;
  }

  static std::string_view trimmed_right(std::string_view text) {
    const size_t last = text.find_last_not_of(" \t");
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  }

  // The text between a unit and the marks or units next to it.
  std::string_view left_of(size_t u) const {
    const size_t first = units_[u].first;
    int32_t begin = first == 0 ? 0 : marks_[first - 1].at;
    if (u > 0 && units_[u - 1].last == first) begin = units_[u - 1].end;
    return slice(begin, units_[u].begin);
  }

  std::string_view right_of(size_t u) const {
    const size_t last = units_[u].last;
    int32_t end = last == marks_.size() ? size_of(text_) : marks_[last].at;
    if (u + 1 < units_.size() && units_[u + 1].first == last) end = units_[u + 1].begin;
    return slice(units_[u].end, end);
  }

  bool has_word_between(int32_t begin, int32_t end) const { return next_word_[at(begin)] < end; }

  static size_t at(int32_t byte) { return static_cast<size_t>(byte); }
  static int32_t size_of(std::string_view text) { return static_cast<int32_t>(text.size()); }

  std::string_view slice(int32_t begin, int32_t end) const {
    return text_.substr(at(begin), at(end - begin));
  }

  std::string_view text_;
  const std::vector<InlineMark>& marks_;
  std::vector<int32_t> next_word_;
  std::vector<Unit> units_;
};

}  // namespace

std::vector<Unit> units_of(const MarkedText& raw) { return UnitFinder(raw).find(); }

}  // namespace dietmt::nmt
