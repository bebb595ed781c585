#include "nmt/alignment/placeholder_groups.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/ascii.h"
#include "common/interruption.h"
#include "nmt/alignment/mark_syntax.h"
#include "nmt/alignment/placeholder_affixes.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

bool is_ascii_letter_or_digit(char32_t c) {
  return c < 0x80 && is_ascii_word(static_cast<char>(c));
}

class GroupFinder {
 public:
  explicit GroupFinder(const MarkedText& raw)
      : text_(raw.text), marks_(raw.marks), next_word_(next_words(raw.text)) {}

  std::vector<PlaceholderGroup> find() {
    for (size_t m = 0; m < marks_.size();) {
      check_interruption();
      const size_t last = end_of_empty(m);
      if (last > m) groups_.push_back({m, last, marks_[m].at, marks_[last - 1].at});
      m = std::max(last, m + 1);
    }
    for (size_t g = 0; g < groups_.size(); ++g) add_compound(g);
    for (size_t g = 0; g < groups_.size(); ++g) add_brackets(g);
    merge();
    for (size_t g = 0; g < groups_.size(); ++g) add_brackets(g);
    for (size_t g = 0; g < groups_.size(); ++g) add_separators(g);
    keep_override_code();
    return std::move(groups_);
  }

 private:
  // End of the marks of a point, or of an element that has no words, only points or nothing, or a
  // number or sign attached to a word: here<sup>2</sup>.
  size_t end_of_empty(size_t m) const {
    const InlineMark& mark = marks_[m];
    if (mark.kind == InlineMark::Kind::kPoint) return m + 1;
    if (mark.kind != InlineMark::Kind::kOpen || mark.partner < 0) return m;
    const auto close = static_cast<size_t>(mark.partner);
    const int32_t end = marks_[close].at;
    const bool is_note = is_raised(m) && touches_text(m) && !has_letter(slice(mark.at, end));
    if (has_word_between(mark.at, end) && !is_note) return m;
    bool has_point = false;
    for (size_t i = m + 1; i < close; ++i) {
      has_point = has_point || marks_[i].kind == InlineMark::Kind::kPoint;
      const bool is_lone = marks_[i].kind != InlineMark::Kind::kPoint && marks_[i].partner < 0;
      if (is_lone) return m;
    }
    const bool is_blank = slice(mark.at, end).find_first_not_of(" \t") == std::string_view::npos;
    return has_point || is_blank || is_note ? close + 1 : m;
  }

  // Whether <sup> or <sub> starts here, perhaps inside a link.
  bool is_raised(size_t m) const {
    const auto names = [&](size_t mark) {
      const std::string name = syntax_of(marks_[mark].parts.front().text).name;
      return name == "sup" || name == "sub";
    };
    const bool has_next = m + 1 < marks_.size() && marks_[m + 1].at == marks_[m].at;
    return names(m) || (has_next && names(m + 1));
  }

  bool touches_text(size_t m) const {
    const char32_t before = last_character(text_.substr(0, at(marks_[m].at)));
    return before != 0 && !is_space(before);
  }

  void add_compound(size_t g) {
    PlaceholderGroup& group = groups_[g];
    if (is_inside_formula(g)) {
      const std::string_view left = left_of(g), right = right_of(g);
      group.begin -= size_of(last_run(left, is_ascii_letter_or_digit));
      group.end += size_of(first_run(right, is_ascii_letter_or_digit));
    }
    if (!stands_as_text(g)) return;
    const std::string& first = marks_[group.first].parts.front().text;
    const std::string& last = marks_[group.last - 1].parts.front().text;
    const std::string_view left = left_of(g), right = right_of(g);
    const int32_t joined_after = bytes_joined_after(right);
    const std::string_view after = right.substr(0, at(joined_after));
    if (!first.starts_with('&') || first == "&gt;") group.begin -= bytes_joined_before(left, after);
    if (!last.starts_with('&') || last == "&lt;") group.end += joined_after;
  }

  // H<sub>2</sub>O
  bool is_inside_formula(size_t g) const {
    const PlaceholderGroup& group = groups_[g];
    return marks_[group.first].kind == InlineMark::Kind::kOpen && is_raised(group.first) &&
           has_word_between(group.begin, group.end) &&
           is_ascii_letter_or_digit(first_character(right_of(g)));
  }

  // A tag that touches a word may just format it: <x id="1"/>bold<x id="2"/>. An element around
  // references, <b>&nbsp;</b>, does not stand for text.
  bool stands_as_text(size_t g) const {
    const bool touches_word = is_word_character(last_character(left_of(g))) ||
                              is_word_character(first_character(right_of(g)));
    for (size_t m = groups_[g].first; m < groups_[g].last; ++m) {
      const std::string& mark = marks_[m].parts.front().text;
      const bool is_point = marks_[m].kind == InlineMark::Kind::kPoint;
      const bool is_inner_reference =
          mark.starts_with('&') && groups_[g].last > groups_[g].first + 1;
      if (is_point && stands_for_text(mark) && !is_inner_reference) return true;
      if (is_point && !touches_word && may_stand_for_text(mark)) return true;
    }
    return false;
  }

  void add_brackets(size_t g) {
    PlaceholderGroup& group = groups_[g];
    while (true) {
      const std::string_view left = left_of(g), right = right_of(g);
      const char32_t opening = last_character(left), closing = first_character(right);
      if (!is_pair(opening, closing)) return;
      group.begin -= bytes_of_last(left);
      group.end += bytes_of_first(right);
    }
  }

  // Merges groups without a word or the end of a sentence between them.
  void merge() {
    std::vector<PlaceholderGroup> merged;
    for (const PlaceholderGroup& group : groups_) {
      if (!merged.empty() && are_one(merged.back(), group)) {
        merged.back().last = group.last;
        merged.back().end = group.end;
      } else {
        merged.push_back(group);
      }
    }
    groups_ = std::move(merged);
  }

  bool are_one(const PlaceholderGroup& group, const PlaceholderGroup& next) const {
    if (group.last != next.first || has_word_between(group.end, next.begin)) return false;
    const std::string_view between = slice(group.end, next.begin);
    const bool ends = ends_sentence(first_character(between)) && between.size() > 1;
    return !ends && has_pairs_of_brackets(between);
  }

  // Adds punctuation that would have nothing left to separate.
  void add_separators(size_t g) {
    PlaceholderGroup& group = groups_[g];
    const std::string_view left = trimmed_right(left_of(g)), right = right_of(g);
    const bool starts_text = left.empty() && group.begin == size_of(left_of(g));
    const bool has_words_after = next_word_[at(group.end)] < size_of(text_);
    const bool ends_text = right.find_first_not_of(" \t") == std::string_view::npos &&
                           group.end + size_of(right) == size_of(text_);
    const char32_t before = last_character(left), after = first_character(right);
    const bool starts_sentence =
        starts_text || (ends_sentence(before) && left.size() < left_of(g).size());
    if (starts_sentence && ends_phrase(after) && has_words_after) {
      group.end += run_of_phrase_ends(right);
      if (starts_text) group.place = InlineMark::Place::kStart;
      return;
    }
    if (starts_text && (starts_with_bracket(group) || starts_apart(right)))
      group.place = InlineMark::Place::kStart;
    if (!has_words_after && before == U':') group.place = InlineMark::Place::kEnd;
    const bool is_left_over = ends_phrase(after) || (ends_text && before != U':');
    if (separates(before) && is_left_over) {
      group.begin -= size_of(left_of(g)) - size_of(left) + bytes_of_last(left);
      if (!has_words_after) group.place = InlineMark::Place::kEnd;
    }
  }

  // {\an8} before a subtitle applies to all of it.
  void keep_override_code() {
    if (groups_.empty() || groups_.front().first != 0 || groups_.front().begin != 0) return;
    if (is_override_code(marks_.front().parts.front().text))
      groups_.front().place = InlineMark::Place::kStart;
  }

  static bool separates(char32_t c) {
    return c != 0 &&
           std::u32string_view(U",;:-=|\u2013\u2014，；：、").find(c) != std::u32string_view::npos;
  }

  bool starts_with_bracket(const PlaceholderGroup& group) const {
    return group.begin < marks_[group.first].at &&
           std::string_view("([{").find(text_[at(group.begin)]) != std::string_view::npos;
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

  // The text between a group and the marks or groups next to it.
  std::string_view left_of(size_t g) const {
    const size_t first = groups_[g].first;
    int32_t begin = first == 0 ? 0 : marks_[first - 1].at;
    if (g > 0 && groups_[g - 1].last == first) begin = groups_[g - 1].end;
    return slice(begin, groups_[g].begin);
  }

  std::string_view right_of(size_t g) const {
    const size_t last = groups_[g].last;
    int32_t end = last == marks_.size() ? size_of(text_) : marks_[last].at;
    if (g + 1 < groups_.size() && groups_[g + 1].first == last) end = groups_[g + 1].begin;
    return slice(groups_[g].end, end);
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
  std::vector<PlaceholderGroup> groups_;
};

}  // namespace

std::vector<PlaceholderGroup> placeholder_groups(const MarkedText& raw) {
  return GroupFinder(raw).find();
}

}  // namespace dietmt::nmt
