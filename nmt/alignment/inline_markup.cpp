#include "nmt/alignment/inline_markup.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "nmt/alignment/placeholders.h"
#include "nmt/alignment/point_units.h"

namespace dietmt::nmt {
namespace {

// The name of a tag in lower case, after `skip` characters.
std::string name_of(std::string_view tag, size_t skip) {
  constexpr std::string_view kAfter = " \t\r\n/>";
  std::string name(tag.substr(skip, tag.find_first_of(kAfter, skip) - skip));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

std::string name_of(const InlineMark& mark, size_t skip) {
  return name_of(mark.parts.front().text, skip);
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
    const std::string name = name_of(marks[i], 2);
    const auto found = std::find_if(open.rbegin(), open.rend(),
                                    [&](size_t o) { return name_of(marks[o], 1) == name; });
    if (found == open.rend()) continue;
    marks[*found].partner = static_cast<int32_t>(i);
    marks[i].partner = static_cast<int32_t>(*found);
    open.erase(found.base() - 1, open.end());
  }
}

void add_spelling(const std::string& character, std::string_view reference, Spellings& spellings) {
  const bool is_known = std::ranges::any_of(
      spellings, [&](const auto& spelling) { return spelling.first == character; });
  if (!is_known && spellings.size() < kMostSpellings) spellings.emplace_back(character, reference);
}

}  // namespace

bool is_void_element(const std::string& name) {
  constexpr std::string_view kVoid[] = {"area",  "base", "br",   "col",    "embed", "hr", "img",
                                        "input", "link", "meta", "source", "track", "wbr"};
  return std::ranges::find(kVoid, name) != std::end(kVoid);
}

void MarkupRemoval::add_text(std::string_view text) { marked_.text += text; }

void MarkupRemoval::add_mark(std::string_view raw) {
  marked_.marks.push_back({.parts = {{std::string(raw), true}},
                           .kind = kind_of(raw),
                           .at = static_cast<int32_t>(marked_.text.size())});
}

MarkedText MarkupRemoval::finish() {
  find_partners(marked_.marks);
  return with_units(std::exchange(marked_, {}));
}

MarkedText take_out_markup(std::string_view text) {
  MarkupRemoval removal;
  Spellings spellings;
  std::string plain;  // what stands between markup and references
  bool has_references = false;
  size_t begin = 0;
  const auto add_text = [&](size_t end) {
    plain += text.substr(begin, end - begin);
    removal.add_text(text.substr(begin, end - begin));
  };
  for (const std::string_view mark : placeholders_in(text)) {
    const auto at = static_cast<size_t>(mark.data() - text.data());
    add_text(at);
    begin = at + mark.size();
    const std::string character = referenced_character(mark);
    has_references = has_references || !character.empty() || mark == "&lt;" || mark == "&gt;";
    if (character.empty()) {
      removal.add_mark(mark);
    } else {
      removal.add_text(character);
      add_spelling(character, mark, spellings);
    }
  }
  add_text(text.size());
  MarkedText marked = removal.finish();
  if (has_references) {
    for (const auto& [character, reference] : basic_spellings())
      if (plain.find(character) == plain.npos) add_spelling(character, reference, spellings);
  }
  marked.spellings = std::move(spellings);
  return marked;
}

std::string join(std::span<const MarkedPart> parts, const Spellings& spellings) {
  std::string text;
  for (const MarkedPart& part : parts)
    text += part.is_markup ? part.text : respelled(part.text, spellings);
  return text;
}

}  // namespace dietmt::nmt
