#include "data/text/sentence_marks.h"

#include <algorithm>

#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

bool is_mark(UChar32 code) { return (U_GET_GC_MASK(code) & (U_GC_M_MASK | U_GC_CF_MASK)) != 0; }

// ° and № are parts of abbreviations, § stands for one.
bool is_word_part(UChar32 code) {
  return u_isalnum(code) || is_mark(code) || is_one_of(code, U"§°№");
}

bool consists_of(std::string_view word, std::string_view set) {
  return word.find_first_not_of(set) == std::string_view::npos;
}

}  // namespace

bool is_one_of(UChar32 code, std::u32string_view set) {
  return set.find(static_cast<char32_t>(code)) != std::u32string_view::npos;
}

USentenceBreak class_of(UChar32 code) {
  return static_cast<USentenceBreak>(u_getIntPropertyValue(code, UCHAR_SENTENCE_BREAK));
}

bool is_stop_class(USentenceBreak type) { return type == U_SB_ATERM || type == U_SB_STERM; }

bool is_quotation_mark(UChar32 code) {
  return class_of(code) == U_SB_CLOSE && u_hasBinaryProperty(code, UCHAR_QUOTATION_MARK);
}

bool is_closer(UChar32 code) {
  return (class_of(code) == U_SB_CLOSE && u_charType(code) != U_START_PUNCTUATION) || code == '*' ||
         code == '_';
}

std::string_view word_at_start(std::string_view text) {
  size_t size = 0;
  while (size < text.size()) {
    const Character one = first_character_of(text.substr(size));
    if (!is_word_part(one.code)) break;
    size += one.bytes;
  }
  return text.substr(0, size);
}

std::string_view word_at_end(std::string_view text) {
  text = text.substr(text.size() - std::min(text.size(), kSentenceReach));
  size_t start = text.size();
  while (start > 0) {
    const Character one = last_character_of(text.substr(0, start));
    if (!is_word_part(one.code) && one.code != '.') break;
    start -= one.bytes;
  }
  return text.substr(start);
}

bool is_single(std::string_view word) {
  size_t letters = 0;
  for (size_t at = 0; at < word.size();) {
    const Character one = first_character_of(word.substr(at));
    if (!is_mark(one.code)) ++letters;
    at += one.bytes;
  }
  return letters == 1;
}

bool is_dotted(std::string_view word) {
  size_t letters = 0;
  for (size_t at = 0; at < word.size();) {
    const Character one = first_character_of(word.substr(at));
    at += one.bytes;
    if (is_mark(one.code)) continue;
    letters = one.code == '.' ? 0 : letters + 1;
    if (letters > 2 || (one.code != '.' && !u_isalpha(one.code))) return false;
  }
  return word.find('.') != std::string_view::npos;
}

bool is_plain(std::string_view word) {
  size_t letters = 0;
  for (size_t at = 0; at < word.size(); ++letters) {
    const Character one = first_character_of(word.substr(at));
    at += one.bytes;
    if (!u_islower(one.code) && !is_mark(one.code)) return false;
  }
  return letters >= 4;
}

bool is_number(std::string_view word) { return consists_of(word, "0123456789"); }
bool is_roman(std::string_view word) { return consists_of(word, "IVXLCDM"); }

}  // namespace dietmt::data
