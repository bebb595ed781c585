#include "nmt/alignment/inline_markup.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "nmt/alignment/mark_syntax.h"
#include "nmt/alignment/placeholders.h"
#include "nmt/alignment/point_units.h"

namespace dietmt::nmt {
namespace {

// The open tags that may still find their partners.
class OpenTags {
 public:
  bool has_room() const { return tags_.size() < kMaxDepth; }

  void add(size_t mark, const std::string& name) {
    tags_.emplace_back(mark, name);
    ++count_[name];
  }

  // The last one of this name; those opened after it stay without a partner.
  std::optional<size_t> close(const std::string& name) {
    const auto count = count_.find(name);
    if (count == count_.end() || count->second == 0) return std::nullopt;
    while (tags_.back().second != name) pop();
    const size_t mark = tags_.back().first;
    pop();
    return mark;
  }

 private:
  void pop() {
    --count_[tags_.back().second];
    tags_.pop_back();
  }

  std::vector<std::pair<size_t, std::string>> tags_;  // marks and names
  std::unordered_map<std::string, int64_t> count_;
};

// Tags in more than kMaxDepth open ones are points.
void find_partners(std::vector<InlineMark>& marks) {
  OpenTags open;
  std::vector<size_t> points_if_alone;
  for (size_t i = 0; i < marks.size(); ++i) {
    if (marks[i].kind == InlineMark::Kind::kPoint) continue;
    const MarkSyntax syntax = syntax_of(marks[i].parts.front().text);
    if (syntax.needs_partner) points_if_alone.push_back(i);
    if (syntax.kind == InlineMark::Kind::kOpen) {
      if (open.has_room())
        open.add(i, syntax.name);
      else
        marks[i].kind = InlineMark::Kind::kPoint;
    } else if (const auto partner = open.close(syntax.name)) {
      marks[*partner].partner = static_cast<int32_t>(i);
      marks[i].partner = static_cast<int32_t>(*partner);
    }
  }
  for (const size_t mark : points_if_alone)
    if (marks[mark].partner < 0) marks[mark].kind = InlineMark::Kind::kPoint;
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
                           .kind = syntax_of(raw).kind,
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
