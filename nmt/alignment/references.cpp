#include "nmt/alignment/references.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <iterator>

#include "common/numbers.h"
#include "data/text/source_text.h"

namespace dietmt::nmt {
namespace {

// HTML's names for U+00C0 .. U+00FF.
constexpr std::string_view kLetters[] = {
    "Agrave", "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig", "Ccedil",
    "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave", "Iacute", "Icirc", "Iuml",
    "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",  "times",
    "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN", "szlig",
    "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",  "aelig", "ccedil",
    "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc", "iuml",
    "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",  "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn", "yuml"};

constexpr std::pair<std::string_view, char32_t> kOthers[] = {
    {"amp", U'&'},        {"quot", U'"'},       {"apos", U'\''},      {"lsquo", U'\u2018'},
    {"rsquo", U'\u2019'}, {"sbquo", U'\u201A'}, {"ldquo", U'\u201C'}, {"rdquo", U'\u201D'},
    {"bdquo", U'\u201E'}, {"laquo", U'\u00AB'}, {"raquo", U'\u00BB'}, {"OElig", U'\u0152'},
    {"oelig", U'\u0153'}, {"hellip", U'\u2026'}};

char32_t named(std::string_view name) {
  const auto* const letter = std::find(std::begin(kLetters), std::end(kLetters), name);
  if (letter != std::end(kLetters)) return 0xC0U + static_cast<char32_t>(letter - kLetters);
  for (const auto& [other, character] : kOthers)
    if (other == name) return character;
  return 0;
}

char32_t numbered(std::string_view digits) {
  const char32_t code = numbered_character(digits).value_or(0);
  return u_isgraph(static_cast<UChar32>(code)) ? code : 0;
}

}  // namespace

std::string referenced_character(std::string_view reference) {
  if (reference.size() < 3 || reference.front() != '&' || reference.back() != ';') return "";
  const std::string_view name = reference.substr(1, reference.size() - 2);
  const char32_t character = name.starts_with('#') ? numbered(name.substr(1)) : named(name);
  std::string text;
  if (character != 0 && character != U'<' && character != U'>') data::append_utf8(character, text);
  return text;
}

void add_spelling(const std::string& character, std::string_view reference, Spellings& spellings) {
  const bool is_known = std::ranges::any_of(
      spellings, [&](const auto& spelling) { return spelling.first == character; });
  if (!is_known && spellings.size() < kMostSpellings) spellings.emplace_back(character, reference);
}

std::string respelled(std::string_view text, const Spellings& spellings) {
  if (spellings.empty()) return std::string(text);
  std::string written;
  for (size_t at = 0; at < text.size();) {
    const auto found = std::ranges::find_if(spellings, [&](const auto& spelling) {
      return text.substr(at).starts_with(spelling.first);
    });
    const bool is_found = found != spellings.end();
    written += is_found ? std::string_view(found->second) : text.substr(at, 1);
    at += is_found ? found->first.size() : 1;
  }
  return written;
}

Spellings basic_spellings() { return {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}}; }

}  // namespace dietmt::nmt
