#include "data/languages/scripts.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>

namespace dietmt::data {

ScriptSet ScriptSet::of_language(const std::string& code) {
  std::array<UScriptCode, 8> codes{};
  UErrorCode status = U_ZERO_ERROR;
  const int32_t count =
      uscript_getCode(code.c_str(), codes.data(), static_cast<int32_t>(codes.size()), &status);
  if (U_FAILURE(status)) return ScriptSet({});
  return ScriptSet({codes.begin(), codes.begin() + count});
}

std::optional<ScriptSet> ScriptSet::named(const std::vector<std::string>& names) {
  std::vector<int32_t> scripts;
  for (const std::string& name : names) {
    scripts.push_back(u_getPropertyValueEnum(UCHAR_SCRIPT, name.c_str()));
    if (scripts.back() == UCHAR_INVALID_CODE) return std::nullopt;
  }
  return ScriptSet(std::move(scripts));
}

bool ScriptSet::has(int32_t character) const {
  UErrorCode status = U_ZERO_ERROR;
  const int32_t script = uscript_getScript(character, &status);
  if (std::ranges::find(scripts_, script) != scripts_.end()) return true;
  // Few characters belong to several scripts.
  return std::ranges::any_of(scripts_, [&](int32_t one) {
    return uscript_hasScript(character, static_cast<UScriptCode>(one)) != 0;
  });
}

double ScriptSet::share_of(std::string_view text) const {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto end = static_cast<int64_t>(text.size());
  int64_t letters = 0, inside = 0;
  const bool has_latin = std::ranges::find(scripts_, USCRIPT_LATIN) != scripts_.end();
  for (int64_t at = 0; at < end;) {
    UChar32 character = 0;
    U8_NEXT(bytes, at, end, character);
    if (character < 0 || !u_isalpha(character)) continue;
    ++letters;
    inside += (character < 0x80 ? has_latin : has(character)) ? 1 : 0;
  }
  return letters == 0 ? 0.0 : static_cast<double>(inside) / static_cast<double>(letters);
}

}  // namespace dietmt::data
