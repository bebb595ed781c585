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

bool closes_element(std::string_view tag) { return tag.starts_with("</"); }

// Of a start tag or an end tag.
std::string element_of(std::string_view tag) {
  return tag_name(closes_element(tag) ? tag.substr(1) : tag);
}

// The end of the next closing tag of `name` after `begin`, or of the text.
size_t closing_end(std::string_view html, size_t begin, const std::string& name) {
  for (size_t at = html.find("</", begin); at != std::string_view::npos;
       at = html.find("</", at + 2)) {
    if (lower_case(html.substr(at + 2, name.size())) == name) return tag_end(html, at);
  }
  return html.size();
}

template <typename Names>
bool is_one_of(const std::string& name, const Names& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// The next attribute of a start tag, from byte `at` on, which moves behind it. Its name is in lower
// case and empty at the end of the tag.
std::pair<std::string, std::string_view> next_attribute(std::string_view tag, size_t& at) {
  const auto end_where = [&](size_t from, const auto& ends) {
    while (from < tag.size() && !ends(tag[from])) ++from;
    return from;
  };
  const auto skip_spaces = [&] { at = end_where(at, [](char c) { return !is_space(c); }); };
  at = end_where(at, [](char c) { return !is_space(c) && c != '/'; });
  if (at == tag.size() || tag[at] == '>') return {};
  const size_t name_end =
      end_where(at + 1, [](char c) { return is_space(c) || c == '=' || c == '>' || c == '/'; });
  const std::string name = lower_case(tag.substr(at, name_end - at));
  at = name_end;
  skip_spaces();
  if (at == tag.size() || tag[at] != '=') return {name, {}};
  ++at;
  skip_spaces();
  if (at == tag.size()) return {name, {}};
  const char quote = tag[at];
  const bool is_quoted = quote == '"' || quote == '\'';
  const size_t begin = is_quoted ? at + 1 : at;
  const size_t end =
      end_where(begin, [&](char c) { return is_quoted ? c == quote : is_space(c) || c == '>'; });
  at = is_quoted && end < tag.size() ? end + 1 : end;
  return {name, tag.substr(begin, end - begin)};
}

// What the attribute `translate` of a start tag says; nothing: what the element around it says.
std::optional<bool> translates(std::string_view tag) {
  if (tag.size() < 2 || !is_letter(tag[1])) return std::nullopt;
  size_t at = 1 + tag_name(tag).size();
  while (true) {
    const auto [name, value] = next_attribute(tag, at);
    if (name.empty()) return std::nullopt;
    if (name != "translate") continue;
    const std::string word = lower_case(value);
    if (word == "no") return false;
    if (word == "yes" || word.empty()) return true;
    return std::nullopt;
  }
}

// The end of the markup at `begin`: of a tag, a comment, or an element whose content is verbatim.
size_t markup_end(std::string_view html, size_t begin) {
  if (html.substr(begin, 4) == "<!--") {
    const size_t close = html.find("-->", begin + 4);
    return close == std::string_view::npos ? html.size() : close + 3;
  }
  const size_t end = tag_end(html, begin);
  const std::string_view tag = html.substr(begin, end - begin);
  const std::string name = tag_name(tag);
  const bool is_verbatim = !tag.ends_with("/>") && is_one_of(name, kVerbatim);
  return is_verbatim ? closing_end(html, end, name) : end;
}

// Which text is translated, by the attributes of the elements around it.
class TranslationScopes {
 public:
  bool translates() const { return scopes_.empty() || scopes_.back().translates; }

  // The tag that comes next in the text.
  void pass(std::string_view tag) {
    const std::string name = element_of(tag);
    if (closes_element(tag)) {
      if (scopes_.empty() || scopes_.back().name != name) return;
      if (--scopes_.back().open == 0) scopes_.pop_back();
      return;
    }
    if (name.empty() || tag.ends_with("/>") || nmt::is_void_element(name) ||
        is_one_of(name, kVerbatim))
      return;
    const bool changes = service::translates(tag).value_or(translates()) != translates();
    if (changes)
      scopes_.push_back({name, !translates()});
    else if (!scopes_.empty() && scopes_.back().name == name)
      ++scopes_.back().open;
  }

 private:
  // An element that differs from the one around it.
  struct Scope {
    std::string name;
    bool translates = false;
    int64_t open = 1;  // elements of this name, with itself
  };
  std::vector<Scope> scopes_;
};

// Elements inside a sentence (phrasing content). A line break ends one.
constexpr std::string_view kInline[] = {
    "a",     "abbr", "acronym", "b",      "bdi", "bdo", "big",  "cite", "code", "data", "del",
    "dfn",   "em",   "font",    "i",      "img", "ins", "kbd",  "mark", "q",    "s",    "samp",
    "small", "span", "strike",  "strong", "sub", "sup", "time", "tt",   "u",    "var",  "wbr"};

bool is_inline(std::string_view markup) {
  if (markup.starts_with("<!--")) return true;
  return is_one_of(element_of(markup), kInline);
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
  TranslationScopes scopes;
  size_t begin = 0;           // of the part that is being read
  bool preformatted = false;  // inside <pre>
  bool divides = false;       // text to translate is inside the element of which it is the markup
  const auto add = [&](size_t end, bool is_text) {
    const std::string_view raw = html.substr(begin, end - begin);
    if (!raw.empty())
      parts.push_back({raw, is_text, !is_text && !divides && is_inline(raw), preformatted});
    begin = end;
  };
  for (size_t at = html.find('<'); at != std::string_view::npos;) {
    if (!starts_tag(html.substr(at))) {
      at = html.find('<', at + 1);
      continue;
    }
    const bool was_translated = scopes.translates();
    const size_t end = markup_end(html, at);
    const std::string_view tag = html.substr(at, end - at);
    const bool closes = closes_element(tag);
    scopes.pass(tag);
    if (was_translated) {
      add(at, true);
      divides = closes && !scopes.translates();
    }
    if (scopes.translates()) {
      divides = divides || (!was_translated && !closes);
      add(end, false);
    }
    if (element_of(tag) == "pre") preformatted = !closes;
    at = html.find('<', end);
  }
  add(html.size(), scopes.translates());
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
