#include "service/documents/pages/markdown_links.h"

#include <algorithm>
#include <string>

namespace dietmt::service {
namespace {

constexpr const char* kSpaces = " \t\r\n";

// The title in (address "title"), whose brackets are `source`. One with escapes, references or
// several lines stays.
std::optional<LinkTitle> title_in(std::string_view source) {
  size_t at = source.find_first_not_of(kSpaces, 1);
  if (at == source.npos) return std::nullopt;
  at = source[at] == '<' ? source.find('>', at) : source.find_first_of(kSpaces, at);
  if (at != source.npos) at = source.find_first_of("\"'", at);
  const size_t last = source.find_last_not_of(kSpaces, source.size() - 2);
  if (at == source.npos || last <= at + 1 || source[last] != source[at]) return std::nullopt;
  const std::string_view title = source.substr(at + 1, last - at - 1);
  const bool is_plain =
      title.find_first_of("\\&\r\n") == title.npos && title.find(source[at]) == title.npos;
  return is_plain ? std::optional(LinkTitle{at + 1, last}) : std::nullopt;
}

}  // namespace

size_t end_of_brackets(std::string_view source, size_t at, char open, char close) {
  size_t depth = 0;
  char quote = 0;
  for (; at < source.size(); ++at) {
    const char c = source[at];
    if (c == '\\') {
      ++at;
    } else if (quote != 0) {
      quote = c == quote ? char{0} : quote;
    } else if (open == '(' && (c == '"' || c == '\'') &&
               (source[at - 1] == ' ' || source[at - 1] == '\n')) {
      quote = c;
    } else if (open == '(' && c == '<' && depth == 1) {
      at = std::min(source.find('>', at), source.size());
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      return at + 1;
    }
  }
  return source.npos;
}

std::optional<LinkTarget> link_target(std::string_view source, size_t bracket) {
  const auto at = [&](size_t offset) { return offset < source.size() ? source[offset] : '\0'; };
  if (at(bracket) != ']') return std::nullopt;
  const size_t begin = bracket + 1;
  if (at(begin) == '(') {
    const size_t end = end_of_brackets(source, begin, '(', ')');
    if (end != source.npos) {
      auto title = title_in(source.substr(begin, end - begin));
      if (title) title = LinkTitle{title->begin + begin, title->end + begin};
      return LinkTarget{.end = end, .title = title};
    }
  }
  if (at(begin) == '[') {
    const size_t end = end_of_brackets(source, begin, '[', ']');
    if (end != source.npos) return LinkTarget{.end = end, .is_label = end == bracket + 3};
  }
  return LinkTarget{.end = begin, .is_label = true};
}

std::optional<LinkTitle> title_of_definition(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t>");
  if (begin == line.npos || line[begin] != '[' || line.substr(begin).starts_with("[^"))
    return std::nullopt;
  const size_t colon = end_of_brackets(line, begin, '[', ']');
  if (colon >= line.size() || line[colon] != ':') return std::nullopt;
  const auto title = title_in(std::string(line.substr(colon)) + ')');
  return title ? std::optional(LinkTitle{colon + title->begin, colon + title->end}) : std::nullopt;
}

}  // namespace dietmt::service
