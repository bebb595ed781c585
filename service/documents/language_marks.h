// The languages that documents declare: in attributes, headers and fields.
#pragma once

#include <string>
#include <string_view>

namespace dietmt::service {

/// The language of a code without its region, in lower case. Bokmal counts as Norwegian.
std::string language_of(std::string_view code);
/// Whether two codes name the same language, in any region.
bool is_same_language(std::string_view one, std::string_view other);

/// A code as written in XML and HTML: pt-BR.
std::string xml_language(std::string code);

/// Whether the language is written from right to left.
bool is_right_to_left(std::string_view code);

/// How office programs group scripts: each group has its own fonts and language.
enum class ScriptGroup {
  kWestern,
  kAsian,    // Chinese, Japanese, Korean
  kComplex,  // Arabic, Hebrew, the scripts of India, Thai and others
};

/// A language as office programs name it.
struct OfficeLocale {
  std::string language;  // de
  std::string country;   // DE, the likely one if the code has none
  std::string name;      // de-DE
  ScriptGroup group = ScriptGroup::kWestern;
};
OfficeLocale office_locale(std::string_view code);

/// The header Plural-Forms of a gettext catalogue, "nplurals=2; plural=(n != 1);", and the number
/// of its forms. Languages that are not known have the rule of English.
struct PluralForms {
  size_t count = 2;
  const char* rule = "(n != 1)";
};
PluralForms plural_forms(std::string_view code);

}  // namespace dietmt::service
