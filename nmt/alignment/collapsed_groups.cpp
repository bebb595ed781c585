#include "nmt/alignment/collapsed_groups.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/interruption.h"
#include "nmt/alignment/mark_syntax.h"
#include "nmt/alignment/placeholder_groups.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

using Neighbour = InlineMark::Neighbour;

constexpr int32_t kNone = -1;

Neighbour kind_of(char32_t c) {
  if (c == 0 || is_space(c)) return Neighbour::kSpace;
  return is_word_character(c) ? Neighbour::kWord : Neighbour::kPunctuation;
}

// HTML tags that end a line.
bool ends_line(std::string_view tag) {
  constexpr std::string_view kNames[] = {"br", "hr", "p",  "div", "li", "ul", "ol", "dt",
                                         "dd", "td", "th", "tr",  "h1", "h2", "h3", "h4"};
  return tag.starts_with('<') && std::ranges::find(kNames, syntax_of(tag).name) != std::end(kNames);
}

// Whether a text ends like a sentence that is followed by a space.
bool ends_with_sentence(std::string_view text) {
  while (closes(last_character(text))) drop_last(text);
  const char32_t last = last_character(text);
  return last == U'.' || last == U'!' || last == U'?' || last == U'\u2026';
}

bool begins_sentence(char32_t c) {
  const auto letter = static_cast<UChar32>(c);
  return u_isalpha(letter) && !u_islower(letter);
}

// Writes the text without the groups.
class Removal {
 public:
  explicit Removal(const MarkedText& raw) : raw_(raw), moved_(raw.marks.size(), kNone) {}

  MarkedText apply(const std::vector<PlaceholderGroup>& groups) {
    size_t m = 0;
    for (const PlaceholderGroup& group : groups) {
      check_interruption();
      for (; m < group.first; ++m) add_tag(m);
      add_group(group);
      m = group.last;
    }
    for (; m < raw_.marks.size(); ++m) add_tag(m);
    add_text(static_cast<int32_t>(raw_.text.size()));
    end();
    for (InlineMark& mark : made_.marks)
      if (mark.partner >= 0) mark.partner = moved_[static_cast<size_t>(mark.partner)];
    return std::move(made_);
  }

 private:
  void add_tag(size_t m) {
    const InlineMark& tag = raw_.marks[m];
    add_text(tag.at);
    if (ends_line(tag.parts.front().text)) {
      const std::string_view rest = std::string_view(raw_.text).substr(static_cast<size_t>(tag.at));
      if (tag.kind == InlineMark::Kind::kOpen && needs_space(first_character(rest)))
        made_.text += ' ';
      after_line_ = true;
    }
    moved_[m] = static_cast<int32_t>(made_.marks.size());
    made_.marks.push_back(tag);
    made_.marks.back().at = static_cast<int32_t>(made_.text.size());
  }

  void add_group(const PlaceholderGroup& group) {
    add_text(group.begin);
    InlineMark point;
    point.at = static_cast<int32_t>(made_.text.size());
    point.place = group.place;
    const std::string_view text = raw_.text;
    point.before = kind_of(last_character(text.substr(0, static_cast<size_t>(group.begin))));
    point.after = kind_of(first_character(text.substr(static_cast<size_t>(group.end))));
    int32_t at = group.begin;
    const auto add_part = [&](int32_t end) {
      if (end > at)
        point.parts.push_back(
            {raw_.text.substr(static_cast<size_t>(at), static_cast<size_t>(end - at))});
      at = end;
    };
    for (size_t m = group.first; m < group.last; ++m) {
      add_part(raw_.marks[m].at);
      point.parts.push_back(raw_.marks[m].parts.front());
      const std::string& mark = point.parts.back().text;
      keeps_apart_ = keeps_apart_ || is_space_reference(mark) || ends_line(mark);
    }
    add_part(group.end);
    made_.marks.push_back(std::move(point));
    at_ = group.end;
    after_group_ = true;
  }

  // Adds the text up to a byte. Marks at that byte follow.
  void add_text(int32_t end) {
    std::string_view text = std::string_view(raw_.text).substr(
        static_cast<size_t>(at_), static_cast<size_t>(std::max(end - at_, 0)));
    at_ = std::max(at_, end);
    if (text.empty()) return;
    std::string& before = made_.text;
    if (after_group_) {
      if (takes_text())
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
      else if (keeps_apart_ || would_join(before, first_character(text)))
        before += is_space(first_character(text)) ? "" : " ";
      if (follows_directly(first_character(text))) drop_last_spaces();
    } else if (after_line_ && needs_space(first_character(text))) {
      before += ' ';
    }
    after_line_ = false;
    after_group_ = after_group_ && text.empty();
    keeps_apart_ = keeps_apart_ && after_group_;
    before += text;
  }

  // Whether the next word follows without a space.
  bool takes_text() const {
    const std::string& before = made_.text;
    return before.empty() || is_space(last_character(before)) || ends_with_opening(before);
  }

  // Whether text on a new line needs a space before it.
  bool needs_space(char32_t next) const {
    return next != 0 && !is_space(next) && !follows_directly(next) && !takes_text();
  }

  // Whether words or sentences would merge without a space between them.
  static bool would_join(std::string_view before, char32_t after) {
    return (is_word_character(last_character(before)) && is_word_character(after)) ||
           (ends_with_sentence(before) && begins_sentence(after));
  }

  void end() {
    if (after_group_ && raw_.text.size() > made_.text.size()) drop_last_spaces();
  }

  // A bracket or quotation mark at the beginning of a word.
  static bool ends_with_opening(std::string_view text) {
    const char32_t last = last_character(text);
    if (last == U'(' || last == U'[' || starts_sentence(last)) return true;
    if (!opens(last)) return false;
    drop_last(text);
    return text.empty() || is_space(last_character(text));
  }

  static bool follows_directly(char32_t c) { return ends_phrase(c) || closes(c); }

  void drop_last_spaces() {
    std::string& before = made_.text;
    while (before.ends_with(' ') || before.ends_with('\t')) before.pop_back();
    const auto end = static_cast<int32_t>(before.size());
    for (auto mark = made_.marks.rbegin(); mark != made_.marks.rend() && mark->at > end; ++mark)
      mark->at = end;
  }

  const MarkedText& raw_;
  MarkedText made_;
  std::vector<int32_t> moved_;  // new positions of the tags
  int32_t at_ = 0;
  bool after_group_ = false;
  bool keeps_apart_ = false;  // the group contains a space reference or a line end
  bool after_line_ = false;   // a tag outside groups has ended a line
};

PlaceholderGroup whole(const MarkedText& text) {
  return {0, text.marks.size(), 0, static_cast<int32_t>(text.text.size())};
}

}  // namespace

MarkedText with_collapsed_groups(MarkedText raw) {
  if (raw.marks.empty()) return raw;
  MarkedText made = Removal(raw).apply(placeholder_groups(raw));
  if (!has_word(made.text)) made = Removal(raw).apply({whole(raw)});
  made.spellings = std::move(raw.spellings);
  return made;
}

}  // namespace dietmt::nmt
