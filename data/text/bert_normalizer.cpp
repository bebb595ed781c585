#include "data/text/bert_normalizer.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <array>

#include "common/error.h"
#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

// BertTokenizerFast uses tables of these editions of Unicode. Later characters have no properties
// here, even if the installed ICU knows them.
constexpr uint8_t kCategoriesEdition = 8;
constexpr uint8_t kNormalizationEdition = 9;

// The few characters whose category has changed since are named where a category is asked for.
bool has_category(char32_t c, uint32_t mask) {
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0 &&
         is_in_edition(kCategoriesEdition, c);
}

bool is_white_space(char32_t c) {
  if (c < 0x80) return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  return c != 0x85 && u_isUWhiteSpace(static_cast<UChar32>(c));
}

bool is_removed(char32_t c) {
  if (c < 0x80) return c < ' ' || c == 0x7F;
  return c == 0xFFFD || has_category(c, U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK);
}

bool is_ideograph(char32_t c) {
  static constexpr std::array<std::pair<char32_t, char32_t>, 7> kRanges{{{0x3400, 0x4DBF},
                                                                         {0x4E00, 0x9FFF},
                                                                         {0xF900, 0xFAFF},
                                                                         {0x20000, 0x2A6DF},
                                                                         {0x2A700, 0x2B81F},
                                                                         {0x2B920, 0x2CEAF},
                                                                         {0x2F800, 0x2FA1F}}};
  return c >= kRanges.front().first && std::any_of(kRanges.begin(), kRanges.end(), [c](auto range) {
           return c >= range.first && c <= range.second;
         });
}

bool is_accent(char32_t c) {
  if (c < 0x300) return false;
  if (c == 0x1734) return true;
  if (c == 0x1885 || c == 0x1886 || c == 0xA9BD || c == 0x111C9) return false;
  return has_category(c, U_GC_MN_MASK);
}

bool is_punctuation(char32_t c) {
  // The symbols of ASCII count too: $ + < = > ^ ` | ~.
  if (c < 0x80) return c > ' ' && c < 0x7F && !u_isalnum(static_cast<UChar32>(c));
  return c == 0x166D || c == 0x111C9 || has_category(c, U_GC_P_MASK);
}

Characters clean(const Characters& text) {
  Characters cleaned;
  cleaned.reserve(text.size());
  for (SourceCharacter c : text) {
    if (is_white_space(c.code)) c.code = ' ';
    if (!is_removed(c.code)) cleaned.push_back(c);
  }
  return cleaned;
}

Characters surround_ideographs(const Characters& text) {
  Characters spaced;
  spaced.reserve(text.size());
  for (const SourceCharacter& c : text) {
    const SourceCharacter space{' ', c.begin, c.end};
    if (is_ideograph(c.code))
      spaced.insert(spaced.end(), {space, c, space});
    else
      spaced.push_back(c);
  }
  return spaced;
}

const UNormalizer2* canonical_decomposition() {
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2* nfd = unorm2_getNFDInstance(&status);
  if (U_FAILURE(status)) throw Error(std::string("ICU lacks NFD: ") + u_errorName(status));
  return nfd;
}

uint8_t combining_class(const SourceCharacter& c) {
  if (c.code < 0x300) return 0;
  const uint8_t combining = u_getCombiningClass(static_cast<UChar32>(c.code));
  return combining != 0 && is_in_edition(kNormalizationEdition, c.code) ? combining : 0;
}

// Canonical ordering: runs of characters with a combining class, sorted by it.
void order_marks(Characters& text) {
  for (auto begin = text.begin(); begin != text.end(); ++begin) {
    if (combining_class(*begin) == 0) continue;
    const auto end = std::find_if(begin, text.end(),
                                  [](const SourceCharacter& c) { return combining_class(c) == 0; });
    std::stable_sort(begin, end, [](const SourceCharacter& a, const SourceCharacter& b) {
      return combining_class(a) < combining_class(b);
    });
    begin = end - 1;
  }
}

// NFD.
Characters decompose(const Characters& text) {
  static const UNormalizer2* const nfd = canonical_decomposition();
  constexpr char32_t kFirstDecomposed = 0xC0;
  Characters decomposed;
  decomposed.reserve(text.size());
  for (const SourceCharacter& c : text) {
    UChar parts[32];
    UErrorCode status = U_ZERO_ERROR;
    int32_t length = -1;
    if (c.code >= kFirstDecomposed && is_in_edition(kNormalizationEdition, c.code)) {
      length = unorm2_getDecomposition(nfd, static_cast<UChar32>(c.code), parts,
                                       static_cast<int32_t>(std::size(parts)), &status);
    }
    if (length < 0) decomposed.push_back(c);
    for (int32_t i = 0; i < length;) {
      UChar32 part = 0;
      U16_NEXT(parts, i, length, part);
      decomposed.push_back({static_cast<char32_t>(part), c.begin, c.end});
    }
  }
  order_marks(decomposed);
  return decomposed;
}

// Capitals of Unicode 16 and 17, which the installed ICU may not know.
char32_t lowercase_of_new_capital(char32_t c) {
  static constexpr std::array<std::pair<char32_t, char32_t>, 8> kLetters{{{0x1C89, 0x1C8A},
                                                                          {0xA7CB, 0x0264},
                                                                          {0xA7CC, 0xA7CD},
                                                                          {0xA7CE, 0xA7CF},
                                                                          {0xA7D2, 0xA7D3},
                                                                          {0xA7D4, 0xA7D5},
                                                                          {0xA7DA, 0xA7DB},
                                                                          {0xA7DC, 0x019B}}};
  for (const auto& [capital, small] : kLetters)
    if (c == capital) return small;
  if (c >= 0x10D50 && c <= 0x10D65) return c + 0x20;  // Garay
  if (c >= 0x16EA0 && c <= 0x16EB8) return c + 0x1B;  // Beria Erfe
  return c;
}

// Character by character, regardless of context.
Characters lowercase(const Characters& text) {
  constexpr char32_t kDottedCapitalI = 0x130, kDotAbove = 0x307;
  Characters lowered;
  lowered.reserve(text.size());
  for (SourceCharacter c : text) {
    const char32_t capital = c.code;
    const auto small = static_cast<char32_t>(u_tolower(static_cast<UChar32>(capital)));
    c.code = small == capital ? lowercase_of_new_capital(capital) : small;
    lowered.push_back(c);
    if (capital == kDottedCapitalI) lowered.push_back({kDotAbove, c.begin, c.end});
  }
  return lowered;
}

}  // namespace

Characters normalize(std::string_view text, int32_t begin, int32_t end,
                     const BertTextOptions& options) {
  Characters characters = clean(source_characters(text, begin, end));
  if (options.split_chinese) characters = surround_ideographs(characters);
  if (options.strip_accents.value_or(options.lowercase)) {
    characters = decompose(characters);
    std::erase_if(characters, [](const SourceCharacter& c) { return is_accent(c.code); });
  }
  if (options.lowercase) characters = lowercase(characters);
  return characters;
}

std::vector<std::span<const SourceCharacter>> split_words(std::span<const SourceCharacter> text) {
  std::vector<std::span<const SourceCharacter>> words;
  size_t word_begin = 0;
  const auto end_word = [&](size_t end) {
    if (end > word_begin) words.push_back(text.subspan(word_begin, end - word_begin));
    word_begin = end;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i].code == ' ') {
      end_word(i);
      word_begin = i + 1;
    } else if (is_punctuation(text[i].code)) {
      end_word(i);
      end_word(i + 1);
    }
  }
  end_word(text.size());
  return words;
}

}  // namespace dietmt::data
