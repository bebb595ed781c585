#include "data/text/language_codes.h"

#include <unicode/locid.h>
#include <unicode/uloc.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "common/ascii.h"

namespace dietmt::data {
namespace {

std::string plain_code(std::string code) {
  for (char& c : code) {
    if (c == '_') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return code;
}

// LibreTranslate's codes, and those that ISO 639 has withdrawn.
std::string current_code(const std::string& plain) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOthers{
      {{"zt", "zh-hant"}, {"pb", "pt-br"}, {"iw", "he"}, {"in", "id"}, {"ji", "yi"}, {"jw", "jv"}}};
  for (const auto& [other, current] : kOthers)
    if (plain == other) return std::string(current);
  return plain;
}

// With the script and region that CLDR expects; the same locale if it expects none.
icu::Locale likely(icu::Locale locale) {
  UErrorCode status = U_ZERO_ERROR;
  icu::Locale full = locale;
  full.addLikelySubtags(status);
  return U_SUCCESS(status) ? full : locale;
}

// The script in which the language is usually written in this region, in lower case.
std::string likely_script(const std::string& plain) {
  return plain_code(likely(icu::Locale(plain.c_str())).getScript());
}

// The plain codes that may stand for this one, best first.
std::vector<std::string> codes_for(const std::string& plain) {
  std::vector<std::string> codes;
  for (std::string range = plain; !range.empty();) {
    const size_t end = range.rfind('-');
    if (end == range.npos) codes.push_back(range + "-" + likely_script(plain));
    codes.push_back(range);
    range.resize(end == range.npos ? 0 : end);
  }
  const std::string_view language = primary_language(plain);
  if (language == "no") codes.emplace_back("nb");
  if (language == "nb") codes.emplace_back("no");
  return codes;
}

// Languages of FLORES that CLDR does not count as one of the larger ones.
std::string usual_language(const std::string& language) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kParts{
      {{"pbt", "ps"}, {"quy", "qu"}}};
  for (const auto& [part, whole] : kParts)
    if (language == part) return std::string(whole);
  return language;
}

bool is_named(const std::string& code, const std::string& plain_name) {
  return plain_code(language_name(code)) == plain_name;
}

}  // namespace

std::string_view primary_language(std::string_view code) {
  return code.substr(0, code.find_first_of("-_"));
}

std::string language_name(const std::string& code) {
  icu::UnicodeString name;
  icu::Locale(code.c_str()).getDisplayName(icu::Locale::getEnglish(), name);
  std::string text;
  name.toUTF8String(text);
  return text.empty() ? code : text;
}

std::string language_tag(std::string code) {
  std::ranges::replace(code, '_', '-');
  return code;
}

std::string canonical_code(const std::string& code) {
  const icu::Locale locale = icu::Locale::createCanonical(code.c_str());
  const std::string language = usual_language(locale.getLanguage());
  if (language.empty()) return code;
  const std::string region = locale.getCountry();
  const bool has_region = !region.empty() && region != "XX";  // mBART's for none
  const icu::Locale usual = likely(icu::Locale(language.c_str()));
  std::string script = locale.getScript();
  if (script.empty() && has_region)
    script = likely(icu::Locale(language.c_str(), region.c_str())).getScript();
  std::string canonical = language;
  const std::string usual_script = usual.getScript();
  if (script == "Hang" && usual_script == "Kore") script = usual_script;  // Hangul and Hanja
  if (!script.empty() && !usual_script.empty() && script != usual_script) canonical += '-' + script;
  const std::string usual_region = likely(icu::Locale(canonical.c_str())).getCountry();
  return has_region && region != usual_region ? canonical + '-' + region : canonical;
}

std::optional<std::string> known_language(const std::string& given) {
  const std::string plain = plain_code(given);
  if (plain.empty() || plain[0] == '-') return std::nullopt;  // ICU's default language
  if (std::ranges::all_of(plain, [](char c) { return is_ascii_word(c) || c == '-'; })) {
    const std::string code = canonical_code(given);
    if (language_name(code) != code) return code;
  }
  for (const char* const* one = uloc_getISOLanguages(); *one != nullptr; ++one)
    if (is_named(*one, plain)) return *one;
  return std::nullopt;
}

std::string closest_code(const std::string& code, const std::vector<std::string>& known) {
  if (std::ranges::find(known, code) != known.end()) return code;
  const std::string plain = current_code(plain_code(code));
  for (const std::string& one : codes_for(plain)) {
    const auto found = std::ranges::find(known, one, plain_code);
    if (found != known.end()) return *found;
  }
  const auto with_region = std::ranges::find_if(known, [&](const std::string& one) {
    const std::string other = plain_code(one);
    return other.starts_with(plain + "-") && likely_script(other) == likely_script(plain);
  });
  if (with_region != known.end()) return *with_region;
  const auto same = std::ranges::find(known, canonical_code(plain), canonical_code);
  if (same != known.end()) return *same;
  const auto named =
      std::ranges::find_if(known, [&](const std::string& one) { return is_named(one, plain); });
  return named != known.end() ? *named : code;
}

}  // namespace dietmt::data
