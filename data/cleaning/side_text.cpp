#include "data/cleaning/side_text.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <memory>

#include "data/text/word_text.h"

namespace dietmt::data {
namespace {

enum CharacterClass : uint8_t {
  kSpace = 1,
  kLetter = 2,
  kDigit = 4,
  kWide = 8,
  kControl = 16,
  kUnspaced = 32,  // of a script without spaces between words
};

uint8_t computed_class(UChar32 code) {
  uint8_t found = 0;
  if (u_isUWhiteSpace(code)) found |= kSpace;
  if (u_hasBinaryProperty(code, UCHAR_ALPHABETIC)) found |= kLetter;
  if (u_isdigit(code)) found |= kDigit;
  const int32_t width = u_getIntPropertyValue(code, UCHAR_EAST_ASIAN_WIDTH);
  if (width == U_EA_WIDE || width == U_EA_FULLWIDTH) found |= kWide;
  const bool is_separator = code == 0x2028 || code == 0x2029 || code == 0xFEFF;
  const bool is_noncharacter = u_hasBinaryProperty(code, UCHAR_NONCHARACTER_CODE_POINT);
  if ((u_charType(code) == U_CONTROL_CHAR && code != '\t') || is_separator || is_noncharacter)
    found |= kControl;
  if ((found & kLetter) != 0 && !joins_word(static_cast<char32_t>(code))) found |= kUnspaced;
  return found;
}

// The classes of the first 65,536 characters, nearly all that texts have.
class ClassTable {
 public:
  static constexpr UChar32 kSize = 1 << 16;

  ClassTable() : classes_(std::make_unique<std::array<uint8_t, kSize>>()) {
    for (UChar32 code = 0; code < kSize; ++code)
      (*classes_)[static_cast<size_t>(code)] = computed_class(code);
  }

  uint8_t of(UChar32 code) const {
    return code < kSize ? (*classes_)[static_cast<size_t>(code)] : computed_class(code);
  }

 private:
  std::unique_ptr<std::array<uint8_t, kSize>> classes_;
};

// Bytes 0x80 to 0xBF as Windows-1252 shows them. NO-BREAK SPACE is missing: French puts it after
// any word.
bool is_shown_continuation(UChar32 code) {
  constexpr std::array<UChar32, 27> kHigh = {0x0152, 0x0153, 0x0160, 0x0161, 0x0178, 0x017D, 0x017E,
                                             0x0192, 0x02C6, 0x02DC, 0x2013, 0x2014, 0x2018, 0x2019,
                                             0x201A, 0x201C, 0x201D, 0x201E, 0x2020, 0x2021, 0x2022,
                                             0x2026, 0x2030, 0x2039, 0x203A, 0x20AC, 0x2122};
  if (code < 0x152) return code >= 0x80 && code <= 0xBF && code != 0xA0;
  return std::ranges::binary_search(kHigh, code);
}

// Looks for first bytes of UTF-8 and the bytes after them, both shown as characters. After a
// capital they may be its word: IRMÃ»
class MojibakeSearch {
 public:
  bool ends_with(UChar32 code) {
    const bool is_lead = last_ == 0xC2 || last_ == 0xC3 || last_ == 0xD0 || last_ == 0xD1;
    const bool found = (is_lead && is_shown_continuation(code) && !u_isupper(before_)) ||
                       (last_ == 0xE2 && (code == 0x20AC || code == 0x80));
    before_ = last_;
    last_ = code;
    return found;
  }

 private:
  UChar32 last_ = 0, before_ = 0;
};

}  // namespace

SideText measured(std::string_view text) {
  static const ClassTable table;
  SideText side{.text = text};
  MojibakeSearch mojibake;
  int64_t run = 0;  // of the current word, up to its last character without a class that ends it
  bool in_word = false;
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto end = static_cast<int64_t>(text.size());
  for (int64_t at = 0; at < end;) {
    UChar32 code = 0;
    U8_NEXT(bytes, at, end, code);
    ++side.characters;
    if (code < 0) {
      side.is_utf8 = false;
      code = 0xFFFD;
    }
    const uint8_t classes = table.of(code);
    if ((classes & kSpace) != 0) {
      ++side.spaces;
      in_word = false;
      run = 0;
    } else {
      side.words += in_word ? 0 : 1;
      in_word = true;
      run = (classes & kUnspaced) != 0 ? 0 : run + 1;
      side.longest_word = std::max(side.longest_word, run);
    }
    side.letters += (classes & kLetter) != 0 ? 1 : 0;
    side.digits += (classes & kDigit) != 0 ? 1 : 0;
    side.width += (classes & kWide) != 0 ? 2 : 1;
    side.has_control |= (classes & kControl) != 0;
    if (code >= 0x80) side.has_replacement |= code == 0xFFFD;
    side.is_mojibake |= mojibake.ends_with(code);
  }
  side.has_replacement &= side.is_utf8;
  return side;
}

}  // namespace dietmt::data
