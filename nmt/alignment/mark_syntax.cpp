#include "nmt/alignment/mark_syntax.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "common/ascii.h"
#include "common/interruption.h"
#include "common/trimmed.h"
#include "nmt/alignment/light_markup.h"
#include "nmt/alignment/symbols.h"

namespace dietmt::nmt {
namespace {

using Kind = InlineMark::Kind;

constexpr std::string_view kBlanks = " \t\r\n";

// The content between a template's delimiters, without the hyphens that trim white space.
std::string_view inside(std::string_view mark, size_t delimiter) {
  std::string_view content = mark.substr(delimiter, mark.size() - 2 * delimiter);
  if (content.starts_with('-')) content.remove_prefix(1);
  if (content.ends_with('-')) content.remove_suffix(1);
  return trimmed(content, kBlanks);
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t\r\n(|"));
}

// Whether `mark` is a single tag.
bool is_one_tag(std::string_view mark) {
  char quote = 0;
  for (size_t i = 1; i < mark.size(); ++i) {
    if (quote != 0)
      quote = mark[i] == quote ? char{0} : quote;
    else if (mark[i] == '"' || mark[i] == '\'')
      quote = mark[i];
    else if (mark[i] == '>')
      return i + 1 == mark.size();
  }
  return false;
}

// Unlike the addresses <me@example.org> and <https://example.org>.
bool is_element_name(std::string_view name) {
  const bool is_number = std::ranges::all_of(name, is_ascii_digit);
  const auto fits = [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || c == '_' || c == '-' || c == '.' || c == ':';
  };
  return !name.empty() && !name.ends_with(':') &&
         (is_number || (is_ascii_letter(name.front()) && std::ranges::all_of(name, fits)));
}

MarkSyntax element_tag(std::string_view mark) {
  if (mark.size() < 3 || !is_one_tag(mark)) return {};
  const bool closes = mark[1] == '/';
  const size_t begin = closes ? 2 : 1;
  MarkSyntax syntax;
  syntax.name = mark.substr(begin, mark.find_first_of(" \t\r\n/>", begin) - begin);
  if (!is_element_name(syntax.name)) return {};
  std::ranges::transform(syntax.name, syntax.name.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  syntax.needs_partner = is_ascii_digit(syntax.name.front());
  if (closes)
    syntax.kind = Kind::kClose;
  else if (!mark.ends_with("/>") && !is_void_element(syntax.name))
    syntax.kind = Kind::kOpen;
  return syntax;
}

// {% for x in all %} and {% endfor %}
MarkSyntax statement(std::string_view mark) {
  constexpr std::string_view kEnd = "end";
  std::string_view name = first_word(inside(mark, 2));
  const bool closes = name.starts_with(kEnd) && name.size() > kEnd.size();
  if (closes) name.remove_prefix(kEnd.size());
  return {closes ? Kind::kClose : Kind::kOpen, "{%" + std::string(name), true};
}

// {{#if x}}, {{^x}} and {{/if}}
MarkSyntax section(std::string_view mark) {
  const std::string_view content = inside(mark, 2);
  const bool closes = content.starts_with('/');
  const bool opens = content.starts_with('#') || content.starts_with('^');
  if (!closes && !opens) return {};
  const std::string_view name = first_word(trimmed(content.substr(1), kBlanks));
  return {closes ? Kind::kClose : Kind::kOpen, "{{" + std::string(name), true};
}

// <% if x %> or <% all.each do |x| %>, and <% end %>; <% if (x) { %> and <% } %>
MarkSyntax script(std::string_view mark) {
  constexpr std::array<std::string_view, 5> kBlocks = {"if", "unless", "while", "for", "case"};
  const std::string_view content = inside(mark, 2);
  const MarkSyntax close{Kind::kClose, "<%", true}, open{Kind::kOpen, "<%", true};
  if (content == "end" || content == "}") return close;
  const bool begins = std::ranges::find(kBlocks, first_word(content)) != kBlocks.end();
  const bool has_do =
      content.ends_with(" do") || (content.ends_with('|') && content.find(" do |") != content.npos);
  const bool has_brace = content.ends_with('{') && !content.starts_with('}');
  return begins || has_do || has_brace ? open : MarkSyntax();
}

// {\b700} and {\b0}
MarkSyntax override_code(std::string_view mark) {
  constexpr std::string_view kPairs = "bius";
  constexpr size_t kShortest = 5;
  if (mark.size() < kShortest || kPairs.find(mark[2]) == kPairs.npos) return {};
  const std::string_view number = mark.substr(3, mark.size() - 4);
  if (!std::ranges::all_of(number, is_ascii_digit)) return {};
  return {number == "0" ? Kind::kClose : Kind::kOpen, std::string(mark.substr(1, 2)), true};
}

// {1>text<1}
MarkSyntax brace_pair(std::string_view mark, Kind kind) {
  return {kind, "{" + std::string(mark.substr(1, mark.size() - 2)), true};
}

// [text](address), [b]bold[/b]
MarkSyntax bracket(std::string_view mark) {
  if (mark == "[" || mark == "![") return {Kind::kOpen, "[](", true};
  const std::string_view name = bbcode_name(mark);
  if (name.empty() || name == "*") return {};
  return {mark[1] == '/' ? Kind::kClose : Kind::kOpen, "[" + std::string(name), true};
}

// The open tags that may still find their partners.
class OpenTags {
 public:
  bool has_room() const { return tags_.size() < kMaxDepth; }

  void add(size_t mark, const std::string& name) {
    tags_.emplace_back(mark, name);
    ++count_[name];
  }

  bool has(const std::string& name) const {
    const auto count = count_.find(name);
    return count != count_.end() && count->second > 0;
  }

  // Closes the last tag with this name; those opened after it stay without a partner.
  std::optional<size_t> close(const std::string& name) {
    if (!has(name)) return std::nullopt;
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

}  // namespace

MarkSyntax syntax_of(std::string_view mark) {
  if (mark.starts_with('{') && mark.ends_with('>')) return brace_pair(mark, Kind::kOpen);
  if (mark.starts_with('<') && mark.ends_with('}')) return brace_pair(mark, Kind::kClose);
  if (mark.starts_with("<%")) return script(mark);
  if (mark.starts_with('<')) return element_tag(mark);
  if (mark.starts_with("{%")) return statement(mark);
  if (mark.starts_with("{{")) return section(mark);
  if (mark.starts_with("{\\")) return override_code(mark);
  if (mark.starts_with("](")) return {Kind::kClose, "[](", true};
  if (mark.starts_with('[') || mark == "![") return bracket(mark);
  if (is_emphasis(mark)) return {Kind::kOpen, std::string(mark), true, true};
  return {};
}

bool stands_for_text(std::string_view mark) {
  if (symbols_at(mark) > 0 || mark == "\t" || mark.starts_with("[^")) return false;
  if (mark.starts_with("<%")) return mark.size() > 2 && (mark[2] == '=' || mark[2] == '-');
  if (mark.starts_with('{') && mark.ends_with('>')) return false;
  for (const std::string_view code : {"<", "{%", "{#", "{\\", "{{#", "{{^", "{{/", "{{!"})
    if (mark.starts_with(code)) return false;
  return !mark.starts_with("{{") || inside(mark, 2) != "else";
}

bool may_stand_for_text(std::string_view mark) {
  if (!mark.starts_with('<') || mark.starts_with("<%")) return false;
  const std::string name = element_tag(mark).name;
  return is_element_name(name) && !is_void_element(name);
}

bool is_space_reference(std::string_view mark) {
  constexpr std::array<std::string_view, 10> kSpaces = {"&nbsp;",   "&#160;", "&#xa0;", "&#xA0;",
                                                        "&#32;",    "&#x20;", "&ensp;", "&emsp;",
                                                        "&thinsp;", "&#8239;"};
  return std::ranges::find(kSpaces, mark) != kSpaces.end();
}

bool is_override_code(std::string_view mark) {
  return mark.starts_with("{\\") && override_code(mark).kind == Kind::kPoint;
}

void find_partners(std::vector<InlineMark>& marks) {
  OpenTags open;
  std::vector<size_t> points_if_alone;
  for (size_t i = 0; i < marks.size(); ++i) {
    check_interruption();
    if (marks[i].kind == InlineMark::Kind::kPoint) continue;
    const MarkSyntax syntax = syntax_of(marks[i].parts.front().text);
    if (syntax.needs_partner) points_if_alone.push_back(i);
    if (syntax.kind == InlineMark::Kind::kOpen && !(syntax.is_both && open.has(syntax.name))) {
      if (open.has_room())
        open.add(i, syntax.name);
      else
        marks[i].kind = InlineMark::Kind::kPoint;
    } else if (const auto partner = open.close(syntax.name)) {
      marks[i].kind = InlineMark::Kind::kClose;
      marks[*partner].partner = static_cast<int32_t>(i);
      marks[i].partner = static_cast<int32_t>(*partner);
    }
  }
  for (const size_t mark : points_if_alone)
    if (marks[mark].partner < 0) marks[mark].kind = InlineMark::Kind::kPoint;
}

}  // namespace dietmt::nmt
