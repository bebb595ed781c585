#include "service/documents/markup.h"

#include <libxml/HTMLparser.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "common/interruption.h"
#include "common/numbers.h"
#include "data/text/source_text.h"
#include "service/documents/html_tags.h"
#include "service/documents/prose.h"
#include "service/documents/translation_scopes.h"

namespace dietmt::service {
namespace {

// Elements whose content is no markup.
constexpr std::string_view kVerbatim[] = {"script", "style", "textarea"};

constexpr size_t kAroundName = 3;  // "</" and the character after a name

bool starts_tag(std::string_view html) {
  if (html.size() < 2 || html[0] != '<') return false;
  return is_html_letter(html[1]) || html[1] == '!' || html[1] == '?' ||
         (html[1] == '/' && html.size() > 2 && is_html_letter(html[2]));
}

// The end of the element `name` whose start tag ends at `begin`, or the end of the text.
size_t closing_end(std::string_view html, size_t begin, const std::string& name) {
  for (size_t at = html.find("</", begin); at != std::string_view::npos;
       at = html.find("</", at + 1))
    if (element_of(html.substr(at, name.size() + kAroundName)) == name) return tag_end(html, at);
  return html.size();
}

// Whether the tag starts such an element.
bool is_verbatim(std::string_view tag) {
  return std::find(std::begin(kVerbatim), std::end(kVerbatim), tag_name(tag)) !=
         std::end(kVerbatim);
}

// The end of the markup at `begin`: a tag, a comment, or an element with verbatim content.
size_t markup_end(std::string_view html, size_t begin) {
  if (html.substr(begin, 4) == "<!--") {
    const size_t close = html.find("-->", begin + 4);
    return close == std::string_view::npos ? html.size() : close + 3;
  }
  constexpr std::string_view kCdata = "<![CDATA[", kCdataEnd = "]]>";
  if (html.substr(begin).starts_with(kCdata)) {
    const size_t close = html.find(kCdataEnd, begin);
    if (close != std::string_view::npos) return close + kCdataEnd.size();
  }
  const size_t end = tag_end(html, begin);
  const std::string_view tag = html.substr(begin, end - begin);
  return is_verbatim(tag) && !tag.ends_with("/>") ? closing_end(html, end, tag_name(tag)) : end;
}

bool is_inline(std::string_view markup) {
  if (markup.starts_with("<!--")) return true;
  return is_inline_element(element_of(markup));
}

// The text of a <pre> that begins here, up to the next tag of such an element.
std::string content_of_pre(std::string_view html, size_t begin) {
  std::string text;
  while (true) {
    const size_t tag = html.find('<', begin);
    text += html.substr(begin, tag - begin);
    if (tag == html.npos || element_of(html.substr(tag, 6)) == "pre") return text;
    begin = starts_tag(html.substr(tag)) ? tag_end(html, tag) : tag + 1;
  }
}

struct Reference {
  size_t size = 0;  // from & on; 0: no reference here
  std::optional<char32_t> character = std::nullopt;
};

// The character of the reference with this name.
std::optional<char32_t> referenced(std::string_view name) {
  if (name == "apos") return U'\'';  // not in HTML 4
  if (const auto* const known =
          htmlEntityLookup(reinterpret_cast<const xmlChar*>(std::string(name).c_str())))
    return known->value;
  return name[0] == '#' ? numbered_character(name.substr(1)) : std::nullopt;
}

// The reference at the start of a text. As in browsers, numbers and Latin-1 names need no
// semicolon.
Reference first_reference(std::string_view text) {
  constexpr size_t kLongest = 33;  // the names of HTML 5
  if (text.size() < 3 || text[0] != '&' || (!is_html_letter(text[1]) && text[1] != '#')) return {};
  size_t end = 2;
  while (end < std::min(text.size(), kLongest) && is_html_name_character(text[end])) ++end;
  const std::string_view name = text.substr(1, end - 1);
  if (name.size() < 2) return {};
  const auto character = referenced(name);
  if (end < text.size() && text[end] == ';') return {end + 1, character};
  const bool needs_semicolon = name == "apos" || (name[0] != '#' && character > U'\u00FF');
  return character && !needs_semicolon ? Reference{end, character} : Reference();
}

}  // namespace

std::vector<MarkupPart> split_markup(std::string_view html, const LanguagePair& languages) {
  std::vector<MarkupPart> parts;
  TranslationScopes scopes(languages);
  size_t begin = 0;           // of the part being read
  bool preformatted = false;  // inside <pre>
  bool divides = false;       // the element that this markup belongs to contains text to translate
  const auto add_part = [&](size_t end, bool is_text, bool is_within_sentence) {
    if (end > begin)
      parts.push_back({html.substr(begin, end - begin), is_text, is_within_sentence, preformatted});
    begin = end;
  };
  const auto add = [&](size_t end, bool is_text) {
    if (!is_text)
      return add_part(end, false, !divides && is_inline(html.substr(begin, end - begin)));
    const std::string_view text = html.substr(0, end);
    for (size_t at = text.find('&', begin); at != text.npos;) {
      const Reference reference = first_reference(text.substr(at));
      if (reference.size > 0 && !reference.character) {
        add_part(at, true, false);
        add_part(at + reference.size, false, true);
      }
      at = text.find('&', at + std::max<size_t>(reference.size, 1));
    }
    add_part(end, true, false);
  };
  for (size_t at = html.find('<'); at != std::string_view::npos;) {
    check_interruption();
    if (!starts_tag(html.substr(at))) {
      at = html.find('<', at + 1);
      continue;
    }
    const bool was_translated = scopes.translates();
    const size_t end = markup_end(html, at);
    const std::string_view tag = html.substr(at, end - at);
    const bool closes = closes_element(tag);
    const bool is_pre = element_of(tag) == "pre";
    if (!is_verbatim(tag))
      scopes.pass(tag, is_pre && !closes && !is_prose(content_of_pre(html, end)));
    if (was_translated) {
      add(at, true);
      divides = closes && !scopes.translates();
    }
    if (scopes.translates()) {
      const bool is_whole = closes && element_of(tag) == element_of(html.substr(begin));
      divides = divides || (!was_translated && !is_whole);
      add(end, false);
      parts.back().has_attributes =
          !closes && parts.back().raw.size() == tag.size() && scopes.translates_attributes(tag);
    }
    if (is_pre) preformatted = !closes;
    at = html.find('<', end);
  }
  add(html.size(), scopes.translates());
  return parts;
}

std::string resolve_references(std::string_view raw) {
  nmt::Spellings spellings;
  return resolve_references(raw, spellings);
}

std::string resolve_references(std::string_view raw, nmt::Spellings& spellings) {
  std::string text;
  while (!raw.empty()) {
    check_interruption();
    const Reference reference = first_reference(raw);
    if (reference.character) {
      std::string character;
      data::append_utf8(*reference.character, character);
      text += character;
      if (raw[reference.size - 1] == ';')
        nmt::add_spelling(character, raw.substr(0, reference.size), spellings);
    } else {
      text += raw.front();
    }
    raw.remove_prefix(reference.character ? reference.size : 1);
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

std::string attribute_value(const std::string& text) {
  std::string value = "\"";
  for (const char c : escape_markup(text)) value += c == '"' ? "&quot;" : std::string(1, c);
  return value + '"';
}

}  // namespace dietmt::service
