#include "service/documents/markup.h"

#include <libxml/HTMLparser.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "data/text/source_text.h"
#include "nmt/alignment/inline_markup.h"

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

size_t markup_end(std::string_view html, size_t begin, bool with_element);

template <typename Names>
bool is_one_of(const std::string& name, const Names& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Whether an attribute of the tag is translate="no", with any quotes and spaces.
bool forbids_translation(std::string_view tag) {
  std::string attributes = lower_case(tag);
  std::erase_if(attributes, [](char c) { return c == '"' || c == '\''; });
  for (size_t at = attributes.find("translate"); at != std::string::npos;
       at = attributes.find("translate", at + 1)) {
    const auto skip_spaces = [&](size_t i) {
      return std::min(attributes.find_first_not_of(" \t\r\n", i), attributes.size());
    };
    const bool begins = std::isspace(static_cast<unsigned char>(attributes[at - 1])) != 0;
    const size_t equals = skip_spaces(at + std::string_view("translate").size());
    if (!begins || attributes[equals] != '=') continue;
    const size_t value = skip_spaces(equals + 1);
    if (attributes.compare(value, 2, "no") == 0 && value + 2 < attributes.size() &&
        !is_letter(attributes[value + 2]))
      return true;
  }
  return false;
}

// The end of the element `name` whose start tag ends at `begin`, behind the end tag that closes it.
size_t element_end(std::string_view html, size_t begin, const std::string& name) {
  int64_t open = 1;
  for (size_t at = html.find('<', begin); at != std::string_view::npos; at = html.find('<', at)) {
    const size_t end = starts_tag(html.substr(at)) ? markup_end(html, at, false) : at + 1;
    const std::string_view tag = html.substr(at, end - at);
    if (tag.starts_with("</") && tag_name(tag.substr(1)) == name) --open;
    if (tag_name(tag) == name && !tag.ends_with("/>")) ++open;
    if (open == 0) return end;
    at = end;
  }
  return html.size();
}

// The end of the markup at `begin`.
// `with_element`: the end of the whole element if its tag forbids translation.
size_t markup_end(std::string_view html, size_t begin, bool with_element) {
  if (html.substr(begin, 4) == "<!--") {
    const size_t close = html.find("-->", begin + 4);
    return close == std::string_view::npos ? html.size() : close + 3;
  }
  const size_t end = tag_end(html, begin);
  const std::string_view tag = html.substr(begin, end - begin);
  const std::string name = tag_name(tag);
  if (tag.ends_with("/>") || name.empty() || nmt::is_void_element(name)) return end;
  if (is_one_of(name, kVerbatim)) return closing_end(html, end, name);
  return with_element && forbids_translation(tag) ? element_end(html, end, name) : end;
}

// Elements inside a sentence (phrasing content). A line break ends one.
constexpr std::string_view kInline[] = {
    "a",     "abbr", "acronym", "b",      "bdi", "bdo", "big",  "cite", "code", "data", "del",
    "dfn",   "em",   "font",    "i",      "img", "ins", "kbd",  "mark", "q",    "s",    "samp",
    "small", "span", "strike",  "strong", "sub", "sup", "time", "tt",   "u",    "var",  "wbr"};

bool is_inline(std::string_view markup) {
  if (markup.starts_with("<!--")) return true;
  return is_one_of(tag_name(markup.starts_with("</") ? markup.substr(1) : markup), kInline);
}

// The character of the reference between `&` and `;`.
std::optional<char32_t> referenced(std::string_view name) {
  if (name == "apos") return U'\'';  // not in HTML 4
  if (const auto* const known =
          htmlEntityLookup(reinterpret_cast<const xmlChar*>(std::string(name).c_str())))
    return known->value;
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
    text = markup_end(html, at, true);
    const std::string_view raw = html.substr(at, text - at);
    parts.push_back({raw, false, is_inline(raw)});
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
