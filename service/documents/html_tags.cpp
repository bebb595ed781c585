#include "service/documents/html_tags.h"

#include <algorithm>
#include <cctype>

namespace dietmt::service {
namespace {

constexpr std::string_view kInline[] = {
    "a",    "abbr", "acronym", "b",    "bdi",  "bdo",   "big",  "cite",   "code",
    "data", "del",  "dfn",     "em",   "font", "i",     "img",  "ins",    "kbd",
    "mark", "math", "q",       "s",    "samp", "small", "span", "strike", "strong",
    "sub",  "sup",  "svg",     "time", "tt",   "u",     "var",  "wbr"};

bool is_html_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

}  // namespace

bool is_html_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

bool is_html_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string html_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

size_t tag_end(std::string_view html, size_t begin) {
  char quote = 0;
  for (size_t i = begin + 1; i < html.size(); ++i) {
    if (quote != 0)
      quote = html[i] == quote ? char{0} : quote;
    else if (html[i] == '"' || html[i] == '\'')
      quote = html[i];
    else if (html[i] == '>')
      return i + 1;
  }
  return html.size();
}

std::string tag_name(std::string_view tag) {
  size_t end = 1;
  while (end < tag.size() && is_html_name_character(tag[end])) ++end;
  return html_lower_case(tag.substr(1, end - 1));
}

bool closes_element(std::string_view tag) { return tag.starts_with("</"); }

std::string element_of(std::string_view tag) {
  return tag_name(closes_element(tag) ? tag.substr(1) : tag);
}

bool is_inline_element(std::string_view name) {
  return std::find(std::begin(kInline), std::end(kInline), name) != std::end(kInline);
}

std::pair<std::string, std::string_view> next_attribute(std::string_view tag, size_t& at) {
  const auto end_where = [&](size_t from, const auto& ends) {
    while (from < tag.size() && !ends(tag[from])) ++from;
    return from;
  };
  const auto skip_spaces = [&] { at = end_where(at, [](char c) { return !is_html_space(c); }); };
  at = end_where(at, [](char c) { return !is_html_space(c) && c != '/'; });
  if (at == tag.size() || tag[at] == '>') return {};
  const size_t name_end = end_where(
      at + 1, [](char c) { return is_html_space(c) || c == '=' || c == '>' || c == '/'; });
  const std::string name = html_lower_case(tag.substr(at, name_end - at));
  at = name_end;
  skip_spaces();
  if (at == tag.size() || tag[at] != '=') return {name, {}};
  ++at;
  skip_spaces();
  if (at == tag.size()) return {name, {}};
  const char quote = tag[at];
  const bool is_quoted = quote == '"' || quote == '\'';
  const size_t begin = is_quoted ? at + 1 : at;
  const size_t end = end_where(
      begin, [&](char c) { return is_quoted ? c == quote : is_html_space(c) || c == '>'; });
  at = is_quoted && end < tag.size() ? end + 1 : end;
  return {name, tag.substr(begin, end - begin)};
}

}  // namespace dietmt::service
