#include "nmt/alignment/lost_words.h"

#include <unicode/utf8.h>

#include <set>

#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

// Digits and signs that stand for words.
std::set<UChar32> signs_in(std::string_view text) {
  std::set<UChar32> signs;
  for (size_t at = 0; at < text.size();) {
    UChar32 c = 0;
    U8_NEXT(reinterpret_cast<const uint8_t*>(text.data()), at, text.size(), c);
    if (c == '%' || (c > 0 && is_word_character(static_cast<char32_t>(c)))) signs.insert(c);
  }
  return signs;
}

}  // namespace

bool has_lost_words(std::string_view translation, std::string_view source) {
  if (has_letter(translation) || !has_letter(source)) return false;
  const std::set<UChar32> before = signs_in(source);
  for (const UChar32 sign : signs_in(translation))
    if (!before.contains(sign)) return false;
  return true;
}

}  // namespace dietmt::nmt
