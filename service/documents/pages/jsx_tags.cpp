#include "service/documents/pages/jsx_tags.h"

#include <algorithm>

#include "common/ascii.h"

namespace dietmt::service {
namespace {

constexpr size_t kLongest = 4000;  // tag
constexpr std::string_view kBlanks = " \t\r";

// Whether the name of a component begins here: a capital letter and others, unlike <TABLE> of HTML.
bool begins_component(std::string_view tag) {
  tag.remove_prefix(std::min<size_t>(tag.starts_with("</") ? 2 : 1, tag.size()));
  if (tag.empty() || tag.front() < 'A' || tag.front() > 'Z') return false;
  size_t end = 1;
  while (end < tag.size() && (is_ascii_word(tag[end]) || tag[end] == '.')) ++end;
  const std::string_view name = tag.substr(0, end), next = tag.substr(end, 1);
  return std::ranges::any_of(name, is_ascii_lower) &&
         (next.empty() || std::string_view(" \t\r\n/>").find(next.front()) != next.npos);
}

// How far a tag goes; `has_end` says whether its > is there. Quotes and braces may have others.
size_t read_tag(std::string_view text, bool& has_end) {
  text = text.substr(0, kLongest);
  size_t depth = 0;
  char quote = 0;
  for (size_t at = 1; at < text.size(); ++at) {
    const char c = text[at];
    has_end = c == '>' && quote == 0 && depth == 0;
    if (has_end) return at + 1;
    if (quote != 0)
      quote = c == quote ? char{0} : quote;
    else if (c == '"' || (c == '\'' && depth == 0))
      quote = c;
    else if (c == '{')
      ++depth;
    else if (c == '}' && depth > 0)
      --depth;
    else if (c == '<' && depth == 0)
      return at;
  }
  return text.size();
}

}  // namespace

JsxLines jsx_lines(std::string_view text) {
  JsxLines lines;
  const auto skip_blanks = [&](size_t at) {
    return std::min(text.find_first_not_of(kBlanks, at), text.size());
  };
  for (size_t at = skip_blanks(0); at < text.size() && text[at] == '<';) {
    bool has_end = false;
    if (!begins_component(text.substr(at, 100))) return {};
    const size_t size = read_tag(text.substr(at), has_end);
    if (!has_end) return {.read = at + size};
    lines.tags.emplace_back(at, at + size);
    lines.end = at = skip_blanks(at + size);
  }
  const bool is_whole = lines.end == text.size() || text[lines.end] == '\n';
  return is_whole ? lines : JsxLines{.read = lines.end};
}

int jsx_levels(std::string_view tag) {
  if (tag.starts_with("</")) return -1;
  return tag.ends_with("/>") ? 0 : 1;
}

}  // namespace dietmt::service
