#include "service/documents/text_encoding.h"

#include <unicode/localpointer.h>
#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>
#include <unicode/unistr.h>

#include <algorithm>

#include "common/error.h"
#include "service/documents/html_tags.h"

namespace dietmt::service {

std::string decoded(std::string_view bytes, const std::string& charset) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::LocalUConverterPointer converter(ucnv_open(charset.c_str(), &status));
  if (U_FAILURE(status))
    throw DataError("the charset '" + charset + "' is not known; give a name such as windows-1252");
  ucnv_setToUCallBack(converter.getAlias(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr,
                      &status);
  const icu::UnicodeString text(bytes.data(), static_cast<int32_t>(bytes.size()),
                                converter.getAlias(), status);
  // Bytes that are controls in the encoding show that it is another one.
  const auto is_control = [](char16_t c) { return c >= 0x80 && c < 0xA0 && c != 0x85; };
  const bool has_controls =
      std::any_of(text.getBuffer(), text.getBuffer() + text.length(), is_control);
  if (U_FAILURE(status) || has_controls)
    throw DataError("the file is not text in the charset " + charset +
                    "; give the right charset, or convert it to UTF-8");
  std::string utf8;
  text.toUTF8String(utf8);
  return utf8;
}

std::string declared_charset(std::string_view bytes) {
  constexpr size_t kBeginning = 1024;  // where browsers look for it
  const std::string beginning = html_lower_case(bytes.substr(0, kBeginning));
  for (const std::string_view name : {"charset=", "encoding="}) {
    size_t begin = beginning.find(name);
    if (begin == beginning.npos) continue;
    begin = beginning.find_first_not_of("\"' ", begin + name.size());
    if (begin == beginning.npos) continue;
    return beginning.substr(begin, beginning.find_first_of("\"'; >?", begin) - begin);
  }
  return "";
}

std::string detected_charset(std::string_view bytes) {
  constexpr size_t kLeastBytes = 16, kRead = 1 << 20;
  constexpr int32_t kLeastConfidence = 10;  // percent
  if (bytes.size() < kLeastBytes) return "";
  bytes = bytes.substr(0, kRead);
  UErrorCode status = U_ZERO_ERROR;
  const icu::LocalUCharsetDetectorPointer detector(ucsdet_open(&status));
  ucsdet_setText(detector.getAlias(), bytes.data(), static_cast<int32_t>(bytes.size()), &status);
  const UCharsetMatch* const best = ucsdet_detect(detector.getAlias(), &status);
  if (U_FAILURE(status) || best == nullptr ||
      ucsdet_getConfidence(best, &status) < kLeastConfidence)
    return "";
  const std::string name = ucsdet_getName(best, &status);
  // Text without the signs that only Windows has is detected as ISO-8859-1; they agree otherwise.
  return name == "ISO-8859-1" ? "windows-1252" : name;
}

}  // namespace dietmt::service
