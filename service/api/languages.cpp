#include "service/api/languages.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <vector>

namespace dietmt::service {
namespace {

std::vector<UScriptCode> scripts_of(const std::string& language) {
  std::array<UScriptCode, 8> codes{};
  UErrorCode status = U_ZERO_ERROR;
  const int32_t count =
      uscript_getCode(language.c_str(), codes.data(), static_cast<int32_t>(codes.size()), &status);
  if (U_FAILURE(status)) return {};
  return {codes.begin(), codes.begin() + count};
}

}  // namespace

std::string language_name(const std::string& code) {
  icu::UnicodeString name;
  icu::Locale(code.c_str()).getDisplayName(icu::Locale::getEnglish(), name);
  std::string text;
  name.toUTF8String(text);
  return text.empty() ? code : text;
}

double share_in_script(std::string_view text, const std::string& code) {
  const std::vector<UScriptCode> scripts = scripts_of(code);
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto end = static_cast<int64_t>(text.size());
  int64_t letters = 0, inside = 0;
  for (int64_t at = 0; at < end;) {
    UChar32 character = 0;
    U8_NEXT(bytes, at, end, character);
    if (character < 0 || !u_isalpha(character)) continue;
    ++letters;
    if (std::any_of(scripts.begin(), scripts.end(),
                    [&](UScriptCode one) { return uscript_hasScript(character, one) != 0; }))
      ++inside;
  }
  return letters == 0 ? 0.0 : static_cast<double>(inside) / static_cast<double>(letters);
}

}  // namespace dietmt::service
