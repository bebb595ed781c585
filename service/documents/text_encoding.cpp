#include "service/documents/text_encoding.h"

#include <unicode/localpointer.h>
#include <unicode/uchar.h>
#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>
#include <unicode/ulocdata.h>
#include <unicode/unistr.h>
#include <unicode/uset.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>

#include "common/error.h"
#include "service/documents/html_tags.h"

namespace dietmt::service {
namespace {

// Letters of a language, with capitals; none if it is not known.
icu::LocalUSetPointer letters_of(const std::string& language,
                                 std::initializer_list<ULocaleDataExemplarSetType> types) {
  UErrorCode status = U_ZERO_ERROR;
  icu::LocalUSetPointer letters(uset_openEmpty());
  const icu::LocalULocaleDataPointer data(ulocdata_open(language.c_str(), &status));
  for (const auto type : types) {
    const icu::LocalUSetPointer some(
        ulocdata_getExemplarSet(data.getAlias(), nullptr, USET_ADD_CASE_MAPPINGS, type, &status));
    if (U_SUCCESS(status)) uset_addAll(letters.getAlias(), some.getAlias());
  }
  return letters;
}

// Bytes that are controls in an encoding show that it is another one.
bool is_wrong(UChar32 c) { return c >= 0x80 && c < 0xA0 && c != 0x85; }

// How many letters of a text in this charset are not among these; nullopt if it is in another one,
// or ICU detects the charset but does not convert it (IBM420_ltr).
std::optional<int64_t> foreign_letters(std::string_view bytes, const char* charset,
                                       const USet* letters) {
  const icu::UnicodeString text(bytes.data(), static_cast<int32_t>(bytes.size()), charset);
  if (text.isEmpty()) return std::nullopt;
  constexpr UChar32 kNoCharacter = 0xFFFD;
  int64_t foreign = 0;
  for (int32_t at = 0; at < text.length(); at = text.moveIndex32(at, 1)) {
    const UChar32 c = text.char32At(at);
    const bool is_last = at + 1 == text.length();  // perhaps only the first half of a character
    if (is_wrong(c) || (c == kNoCharacter && !is_last)) return std::nullopt;
    foreign += u_isalpha(c) != 0 && uset_contains(letters, c) == 0 ? 1 : 0;
  }
  return foreign;
}

// Whether windows-1252 has all letters of a language. True if it is not known.
bool is_western(const std::string& language) {
  const icu::LocalUSetPointer beyond(uset_open(0x100, 0x10FFFF));
  for (const char16_t c : std::u16string_view(u"\u0152\u0153\u0160\u0161\u0178\u017D\u017E"))
    uset_remove(beyond.getAlias(), c);
  return uset_containsNone(letters_of(language, {ULOCDATA_ES_STANDARD}).getAlias(),
                           beyond.getAlias()) != 0;
}

// Whether a text too short for statistics looks like windows-1252: words of ASCII letters and some
// others.
bool is_western_text(std::string_view bytes) {
  const icu::UnicodeString text(bytes.data(), static_cast<int32_t>(bytes.size()), "windows-1252");
  int64_t ascii = 0, others = 0;
  for (int32_t at = 0; at < text.length(); ++at) {
    const char16_t c = text.charAt(at);
    if (c < 0x80)
      ascii += u_isalpha(c) != 0 ? 1 : 0;
    else if (u_isalpha(c) == 0)
      return false;
    else
      ++others;
  }
  return others < ascii;
}

}  // namespace

std::string decoded(std::string_view bytes, const std::string& charset) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::LocalUConverterPointer converter(ucnv_open(charset.c_str(), &status));
  if (U_FAILURE(status))
    throw DataError("the charset '" + charset + "' is not known; give a name such as windows-1252");
  ucnv_setToUCallBack(converter.getAlias(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr,
                      &status);
  const icu::UnicodeString text(bytes.data(), static_cast<int32_t>(bytes.size()),
                                converter.getAlias(), status);
  const bool has_controls =
      std::any_of(text.getBuffer(), text.getBuffer() + text.length(), is_wrong);
  if (U_FAILURE(status) || has_controls)
    throw DataError("the file is not text in the charset " + charset +
                    "; give the right charset, or convert it to UTF-8");
  std::string utf8;
  text.toUTF8String(utf8);
  return utf8;
}

std::string declared_charset(std::string_view bytes) {
  // Browsers look at 1024 bytes; comments may be before the header of a catalogue.
  constexpr size_t kBeginning = 8192;
  const std::string beginning = html_lower_case(bytes.substr(0, kBeginning));
  for (const std::string_view name : {"charset=", "encoding="}) {
    size_t begin = beginning.find(name);
    if (begin == beginning.npos) continue;
    begin = beginning.find_first_not_of("\"' ", begin + name.size());
    if (begin == beginning.npos) continue;
    return beginning.substr(begin, beginning.find_first_of("\"'; >?\\", begin) - begin);
  }
  return "";
}

std::string detected_charset(std::string_view bytes, const std::string& language) {
  constexpr size_t kLeastBytes = 16, kRead = 1 << 18;
  constexpr int32_t kLeastConfidence = 10;  // percent
  if (bytes.size() < kLeastBytes)
    return is_western(language) && is_western_text(bytes) ? "windows-1252" : "";
  bytes = bytes.substr(0, kRead);
  UErrorCode status = U_ZERO_ERROR;
  const icu::LocalUCharsetDetectorPointer detector(ucsdet_open(&status));
  ucsdet_setText(detector.getAlias(), bytes.data(), static_cast<int32_t>(bytes.size()), &status);
  int32_t count = 0;
  const UCharsetMatch** const matches = ucsdet_detectAll(detector.getAlias(), &count, &status);
  const icu::LocalUSetPointer letters =
      letters_of(language, {ULOCDATA_ES_STANDARD, ULOCDATA_ES_AUXILIARY});  // also of foreign words
  std::string best;
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (int32_t i = 0; i < count && U_SUCCESS(status); ++i) {  // the most likely first
    const char* const name = ucsdet_getName(matches[i], &status);
    if (ucsdet_getConfidence(matches[i], &status) < kLeastConfidence) break;
    if (std::string_view(name).starts_with("UTF-")) continue;  // these have a byte-order mark
    const auto foreign = foreign_letters(bytes, name, letters.getAlias());
    if (foreign && *foreign < fewest) fewest = *foreign, best = name;
  }
  // Text without the signs that only Windows has is detected as ISO-8859-1; they agree otherwise.
  return best == "ISO-8859-1" ? "windows-1252" : best;
}

}  // namespace dietmt::service
