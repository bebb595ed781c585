#include "nmt/alignment/inline_markup.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "nmt/alignment/placeholders.h"

namespace dietmt::nmt {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Bytes above ASCII count as letters.
bool is_word(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Punctuation that follows a word without a space.
bool ends_phrase(char c) { return std::string_view(".,;:!?)]").find(c) != std::string_view::npos; }

// The name of a tag in lower case, after `skip` characters.
std::string name_of(std::string_view tag, size_t skip) {
  constexpr std::string_view kAfter = " \t\r\n/>";
  std::string name(tag.substr(skip, tag.find_first_of(kAfter, skip) - skip));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

// Whether the first tag of `raw` ends where `raw` does.
bool is_one_tag(std::string_view raw) {
  char quote = 0;
  for (size_t i = 1; i < raw.size(); ++i) {
    if (quote != 0)
      quote = raw[i] == quote ? char{0} : quote;
    else if (raw[i] == '"' || raw[i] == '\'')
      quote = raw[i];
    else if (raw[i] == '>')
      return i + 1 == raw.size();
  }
  return false;
}

InlineMark::Kind kind_of(std::string_view raw) {
  if (raw.size() < 3 || raw.front() != '<' || !is_one_tag(raw)) return InlineMark::Kind::kPoint;
  if (raw[1] == '/') return InlineMark::Kind::kClose;
  const bool opens = std::isalpha(static_cast<unsigned char>(raw[1])) != 0 &&
                     !raw.ends_with("/>") && !is_void_element(name_of(raw, 1));
  return opens ? InlineMark::Kind::kOpen : InlineMark::Kind::kPoint;
}

// A tag closes the last open one of its name; those opened after that one stay without a partner.
// Tags in more than kMaxDepth open ones are points.
void find_partners(std::vector<InlineMark>& marks) {
  std::vector<size_t> open;
  for (size_t i = 0; i < marks.size(); ++i) {
    if (marks[i].kind == InlineMark::Kind::kOpen) {
      if (open.size() < kMaxDepth)
        open.push_back(i);
      else
        marks[i].kind = InlineMark::Kind::kPoint;
    }
    if (marks[i].kind != InlineMark::Kind::kClose) continue;
    const std::string name = name_of(marks[i].raw, 2);
    const auto found = std::find_if(open.rbegin(), open.rend(),
                                    [&](size_t o) { return name_of(marks[o].raw, 1) == name; });
    if (found == open.rend()) continue;
    marks[*found].partner = static_cast<int32_t>(i);
    marks[i].partner = static_cast<int32_t>(*found);
    open.erase(found.base() - 1, open.end());
  }
}

}  // namespace

bool is_void_element(const std::string& name) {
  constexpr std::string_view kVoid[] = {"area",  "base", "br",   "col",    "embed", "hr", "img",
                                        "input", "link", "meta", "source", "track", "wbr"};
  return std::ranges::find(kVoid, name) != std::end(kVoid);
}

void MarkupRemoval::add_text(std::string_view text) {
  if (text.empty()) return;
  std::string& before = marked_.text;
  bool after_point = false;
  for (; after_point_ < marked_.marks.size(); ++after_point_) {
    InlineMark& mark = marked_.marks[after_point_];
    mark.spaced_after = is_space(text.front());
    after_point = after_point || mark.kind == InlineMark::Kind::kPoint;
  }
  if (after_point && (before.empty() || is_space(before.back())))
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  else if (after_point && is_word(before.back()) && is_word(text.front()))
    before += ' ';
  if (after_point && !text.empty() && ends_phrase(text.front())) drop_last_space();
  before += text;
}

void MarkupRemoval::drop_last_space() {
  std::string& before = marked_.text;
  if (!before.ends_with(' ') && !before.ends_with('\t')) return;
  before.pop_back();
  const auto end = static_cast<int32_t>(before.size());
  for (auto mark = marked_.marks.rbegin(); mark != marked_.marks.rend() && mark->at > end; ++mark)
    mark->at = end;
}

void MarkupRemoval::add_mark(std::string_view raw) {
  const std::string& before = marked_.text;
  marked_.marks.push_back({.raw = std::string(raw),
                           .kind = kind_of(raw),
                           .at = static_cast<int32_t>(before.size()),
                           .spaced_before = before.empty() || is_space(before.back()),
                           .spaced_after = true});
}

MarkedText MarkupRemoval::finish() {
  find_partners(marked_.marks);
  after_point_ = 0;
  return std::exchange(marked_, {});
}

MarkedText take_out_markup(std::string_view text) {
  MarkupRemoval removal;
  size_t begin = 0;
  for (const std::string_view mark : placeholders_in(text)) {
    const auto at = static_cast<size_t>(mark.data() - text.data());
    removal.add_text(text.substr(begin, at - begin));
    removal.add_mark(mark);
    begin = at + mark.size();
  }
  removal.add_text(text.substr(begin));
  return removal.finish();
}

bool tags_nest(std::string_view text) {
  std::vector<std::string> open;
  for (const std::string_view mark : placeholders_in(text)) {
    const InlineMark::Kind kind = kind_of(mark);
    if (kind == InlineMark::Kind::kOpen) open.push_back(name_of(mark, 1));
    if (kind != InlineMark::Kind::kClose) continue;
    if (open.empty() || open.back() != name_of(mark, 2)) return false;
    open.pop_back();
  }
  return open.empty();
}

std::string join(std::span<const MarkedPart> parts) {
  std::string text;
  for (const MarkedPart& part : parts) text += part.text;
  return text;
}

}  // namespace dietmt::nmt
