#include "service/api/markup.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "data/text/source_text.h"

namespace dietmt::service {
namespace {

// Elements whose content is code, or must stay as the author wrote it.
constexpr std::string_view kVerbatim[] = {"script", "style", "code", "textarea"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// The end of the tag that starts at `begin`: after the first `>` outside quotes.
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

bool starts_tag(std::string_view html) {
  if (html.size() < 2 || html[0] != '<') return false;
  return is_letter(html[1]) || html[1] == '!' || html[1] == '?' ||
         (html[1] == '/' && html.size() > 2 && is_letter(html[2]));
}

std::string tag_name(std::string_view tag) {
  size_t end = 1;
  while (end < tag.size() && (is_letter(tag[end]) || std::isdigit(tag[end]) != 0)) ++end;
  return lower_case(tag.substr(1, end - 1));
}

// The end of the next closing tag of `name` after `begin`, or of the text.
size_t closing_end(std::string_view html, size_t begin, const std::string& name) {
  for (size_t at = html.find("</", begin); at != std::string_view::npos;
       at = html.find("</", at + 2)) {
    if (lower_case(html.substr(at + 2, name.size())) == name) return tag_end(html, at);
  }
  return html.size();
}

// The end of the markup at `begin`.
size_t markup_end(std::string_view html, size_t begin) {
  if (html.substr(begin, 4) == "<!--") {
    const size_t close = html.find("-->", begin + 4);
    return close == std::string_view::npos ? html.size() : close + 3;
  }
  const size_t end = tag_end(html, begin);
  const std::string_view tag = html.substr(begin, end - begin);
  const std::string name = tag_name(tag);
  const bool verbatim =
      std::find(std::begin(kVerbatim), std::end(kVerbatim), name) != std::end(kVerbatim);
  return verbatim && !tag.ends_with("/>") ? closing_end(html, end, name) : end;
}

// The character of the reference between `&` and `;`.
std::optional<char32_t> referenced(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, char32_t>, 6> kNames{{{"amp", U'&'},
                                                                         {"lt", U'<'},
                                                                         {"gt", U'>'},
                                                                         {"quot", U'"'},
                                                                         {"apos", U'\''},
                                                                         {"nbsp", U'\u00A0'}}};
  for (const auto& [known, code] : kNames) {
    if (name == known) return code;
  }
  if (name.size() < 2 || name[0] != '#') return std::nullopt;
  name.remove_prefix(1);
  const bool hexadecimal = name[0] == 'x' || name[0] == 'X';
  if (hexadecimal) name.remove_prefix(1);
  uint32_t code = 0;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), code, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  const bool is_character = code > 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return is_character ? std::optional<char32_t>(code) : std::nullopt;
}

}  // namespace

std::vector<MarkupPart> split_markup(std::string_view html) {
  std::vector<MarkupPart> parts;
  size_t text = 0;  // where the text that is being read begins
  size_t at = html.find('<');
  while (at != std::string_view::npos) {
    if (!starts_tag(html.substr(at))) {
      at = html.find('<', at + 1);
      continue;
    }
    if (at > text) parts.push_back({html.substr(text, at - text), true});
    text = markup_end(html, at);
    parts.push_back({html.substr(at, text - at), false});
    at = html.find('<', text);
  }
  if (text < html.size()) parts.push_back({html.substr(text), true});
  return parts;
}

std::string resolve_references(std::string_view raw) {
  constexpr size_t kLongest = 10;
  std::string text;
  for (size_t i = 0; i < raw.size();) {
    const size_t end = raw[i] == '&' ? raw.substr(i, kLongest).find(';') : std::string_view::npos;
    const auto code =
        end == std::string_view::npos ? std::nullopt : referenced(raw.substr(i + 1, end - 1));
    if (code)
      data::append_utf8(*code, text);
    else
      text += raw[i];
    i += code ? end + 1 : 1;
  }
  return text;
}

std::string escape_markup(std::string_view text) {
  std::string html;
  for (const char c : text) {
    if (c == '&')
      html += "&amp;";
    else if (c == '<')
      html += "&lt;";
    else if (c == '>')
      html += "&gt;";
    else
      html += c;
  }
  return html;
}

}  // namespace dietmt::service
