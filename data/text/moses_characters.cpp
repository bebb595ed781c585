#include "data/text/moses_characters.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

constexpr uint8_t kEdition = 7;
constexpr uint8_t kLowercaseEdition = 9;
constexpr uint8_t kNuktas = 7, kViramas = 9;  // combining classes
constexpr char32_t kFirstPlane = 0xFFFF;

bool is_in_tables(char32_t code) {
  if (code < 0x300) return true;
  UErrorCode status = U_ZERO_ERROR;
  return code <= kFirstPlane && is_in_edition(kEdition, code) &&
         uscript_getScript(static_cast<UChar32>(code), &status) != USCRIPT_HAN &&
         !(code >= 0xAC00 && code <= 0xD7A3);
}

bool is_sign_of_letter(char32_t code) {
  const uint8_t combining = u_getCombiningClass(static_cast<UChar32>(code));
  return combining == kNuktas || combining == kViramas;
}

}  // namespace

bool is_moses_letter(char32_t code) {
  if (u_isUAlphabetic(static_cast<UChar32>(code))) return is_in_tables(code);
  return code >= 0x900 && is_sign_of_letter(code);
}

bool is_moses_letter_or_digit(char32_t code) {
  return is_moses_letter(code) || (u_isdigit(static_cast<UChar32>(code)) && is_in_tables(code));
}

bool is_moses_number(char32_t code) {
  return (U_GET_GC_MASK(static_cast<UChar32>(code)) & U_GC_N_MASK) != 0 && is_in_tables(code);
}

bool is_moses_lowercase(char32_t code) {
  return u_isULowercase(static_cast<UChar32>(code)) && is_in_edition(kLowercaseEdition, code) &&
         !(code >= 0x10D0 && code <= 0x10FF);  // Georgian had no case then
}

bool is_moses_currency(char32_t code) {
  return u_charType(static_cast<UChar32>(code)) == U_CURRENCY_SYMBOL &&
         is_in_edition(kEdition, code);
}

}  // namespace dietmt::data
