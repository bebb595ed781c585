#include "service/documents/language_marks.h"

#include <unicode/uloc.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "data/text/language_codes.h"

namespace dietmt::service {
namespace {

// Source: the section "Additional functions for plural forms" of the GNU gettext manual, and the
// rules that msginit of gettext 0.21 writes.
struct PluralRule {
  std::string_view languages;  // each with a space on both sides
  PluralForms forms;
};

constexpr std::array<PluralRule, 13> kRules = {{
    {" ja ko zh th vi id ms km lo my ", {1, "0"}},
    {" fr pt_BR ", {2, "(n > 1)"}},
    {" lv ", {3, "(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2)"}},
    {" ga ", {3, "n==1 ? 0 : n==2 ? 1 : 2"}},
    {" ro ", {3, "n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2"}},
    {" lt ", {3, "(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2)"}},
    {" ru uk be hr sr bs ",
     {3, "(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2)"}},
    {" cs sk ", {3, "(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2"}},
    {" pl ", {3, "(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2)"}},
    {" sl ", {4, "(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3)"}},
    {" ar ",
     {6, "(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5)"}},
    {" mt ", {4, "n==1 ? 0 : n==0 || (n%100>1 && n%100<11) ? 1 : (n%100>10 && n%100<20) ? 2 : 3"}},
    {" cy ", {4, "(n==1) ? 0 : (n==2) ? 1 : (n != 8 && n != 11) ? 2 : 3"}},
}};

}  // namespace

std::string language_of(std::string_view code) {
  std::string language(data::primary_language(code));
  std::ranges::transform(language, language.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  return language == "nb" ? "no" : language;
}

bool is_same_language(std::string_view one, std::string_view other) {
  return language_of(one) == language_of(other);
}

std::string xml_language(std::string code) {
  std::ranges::replace(code, '_', '-');
  return code;
}

bool is_right_to_left(std::string_view code) {
  return uloc_isRightToLeft(std::string(code).c_str()) != 0;
}

OfficeLocale office_locale(std::string_view code) {
  std::string name(code);
  std::ranges::replace(name, '-', '_');
  const auto part = [](const std::string& locale, auto get) {
    std::array<char, ULOC_FULLNAME_CAPACITY> text{};
    UErrorCode status = U_ZERO_ERROR;
    get(locale.c_str(), text.data(), static_cast<int32_t>(text.size() - 1), &status);
    return std::string(text.data());
  };
  const std::string full = part(name, uloc_addLikelySubtags);
  const std::string script = part(full, uloc_getScript);
  OfficeLocale locale;
  locale.language = part(name, uloc_getLanguage);
  locale.country = part(full, uloc_getCountry);
  const std::string usual_script =
      part(part(locale.language, uloc_addLikelySubtags), uloc_getScript);
  locale.name = locale.language;
  // The country says which Chinese it is.
  if (script != usual_script && locale.language != "zh") locale.name += "-" + script;
  if (!locale.country.empty()) locale.name += "-" + locale.country;
  constexpr std::array<std::string_view, 6> kAsian = {"Hans", "Hant", "Hani",
                                                      "Jpan", "Kore", "Hang"};
  constexpr std::array<std::string_view, 14> kComplex = {"Deva", "Beng", "Guru", "Gujr", "Orya",
                                                         "Taml", "Telu", "Knda", "Mlym", "Sinh",
                                                         "Thai", "Laoo", "Khmr", "Mymr"};
  if (std::ranges::find(kAsian, script) != kAsian.end()) locale.group = ScriptGroup::kAsian;
  if (is_right_to_left(code) || std::ranges::find(kComplex, script) != kComplex.end())
    locale.group = ScriptGroup::kComplex;
  return locale;
}

PluralForms plural_forms(std::string_view code) {
  std::string name(code);
  std::ranges::replace(name, '-', '_');
  for (const std::string& wanted : {name, language_of(code)})
    for (const PluralRule& rule : kRules)
      if (rule.languages.find(" " + wanted + " ") != rule.languages.npos) return rule.forms;
  return {};
}

}  // namespace dietmt::service
