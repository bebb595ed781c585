#include "data/text/text_changes.h"

#include <unicode/ucasemap.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <vector>

#include "common/error.h"
#include "data/text/source_text.h"
#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

constexpr std::string_view kSignsOfCode = "<>{}[]@/\\_%$#&=|~^*";
constexpr size_t kCharactersPerTypo = 40;
constexpr size_t kShortestMistyped = 4;  // letters

/// Full case mappings without a language; they may change the number of characters.
using CaseMapping = int32_t (*)(const UCaseMap*, char*, int32_t, const char*, int32_t, UErrorCode*);

std::string mapped(std::string_view text, CaseMapping mapping) {
  static const UCaseMap* const kRoot = [] {
    UErrorCode error = U_ZERO_ERROR;
    return ucasemap_open("", 0, &error);
  }();
  std::string made(text.size(), '\0');
  const auto map = [&](UErrorCode& error) {
    return mapping(kRoot, made.data(), static_cast<int32_t>(made.size()), text.data(),
                   static_cast<int32_t>(text.size()), &error);
  };
  UErrorCode error = U_ZERO_ERROR;
  int32_t size = map(error);
  if (error == U_BUFFER_OVERFLOW_ERROR) {
    made.resize(static_cast<size_t>(size));
    error = U_ZERO_ERROR;
    size = map(error);
  }
  if (U_FAILURE(error) != 0) throw Error(std::string("cannot change case: ") + u_errorName(error));
  made.resize(static_cast<size_t>(size));
  return made;
}

/// `change` of each word that is no code, between the spaces of `text`.
template <typename Change>
std::string with_changed_words(std::string_view text, const Change& change) {
  std::string made;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    made += word.find_first_of(kSignsOfCode) == word.npos ? change(word) : std::string(word);
    text.remove_prefix(end);
    if (!text.empty()) made += ' ', text.remove_prefix(1);
  }
  return made;
}

std::string with_first_capital(std::string_view word) {
  std::string made;
  while (!word.empty()) {
    const Character one = first_character_of(word);
    const bool begins_word = u_isalnum(one.code) != 0;
    append_utf8(static_cast<char32_t>(begins_word ? u_totitle(one.code) : one.code), made);
    word.remove_prefix(one.bytes);
    if (begins_word) break;
  }
  return made.append(word);
}

std::vector<char32_t> characters_of(std::string_view text) {
  std::vector<char32_t> characters;
  while (!text.empty()) {
    const Character one = first_character_of(text);
    characters.push_back(static_cast<char32_t>(one.code));
    text.remove_prefix(one.bytes);
  }
  return characters;
}

bool is_letter(char32_t code) { return u_isalpha(static_cast<UChar32>(code)) != 0; }

/// Where a typing error can be: letters after the first in words of enough letters.
std::vector<size_t> places_for_typos(const std::vector<char32_t>& text) {
  std::vector<size_t> places;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end - begin >= kShortestMistyped)
      for (size_t at = begin + 1; at < end; ++at) places.push_back(at);
    begin = std::max(end, begin + 1);
  }
  return places;
}

char32_t random_character(Random& random) {
  constexpr uint64_t kPlanes = 0x20000;  // those with nearly all characters in use
  while (true) {
    const auto code = static_cast<UChar32>(random.below(kPlanes));
    constexpr uint32_t kOthers = U_GC_C_MASK | U_GC_Z_MASK | U_GC_M_MASK;
    if ((U_GET_GC_MASK(code) & kOthers) == 0) return static_cast<char32_t>(code);
  }
}

}  // namespace

std::string upper_cased(std::string_view text) {
  return with_changed_words(
      text, [](std::string_view word) { return mapped(word, ucasemap_utf8ToUpper); });
}

std::string lower_cased(std::string_view text) {
  return with_changed_words(
      text, [](std::string_view word) { return mapped(word, ucasemap_utf8ToLower); });
}

std::string title_cased(std::string_view text) {
  return with_changed_words(text, with_first_capital);
}

std::string mistyped(std::string_view text, Random& random) {
  const std::vector<char32_t> characters = characters_of(text);
  std::vector<size_t> places = places_for_typos(characters);
  const size_t typos = std::min(places.size(), 1 + characters.size() / kCharactersPerTypo);
  for (size_t i = 0; i < typos; ++i) {  // one in each of as many parts
    const size_t begin = i * places.size() / typos, end = (i + 1) * places.size() / typos;
    places[i] = places[begin + random.below(end - begin)];
  }
  places.resize(typos);
  std::vector<char32_t> made;
  auto place = places.begin();
  for (size_t at = 0; at < characters.size(); ++at) {
    made.push_back(characters[at]);
    if (place == places.end() || *place != at) continue;
    ++place;
    const uint64_t kind = random.below(3);
    if (kind == 0) made.pop_back();
    if (kind == 1) made.push_back(characters[at]);
    if (kind == 2 && made.size() > 1) std::swap(made.end()[-1], made.end()[-2]);
  }
  std::string utf8;
  for (const char32_t code : made) append_utf8(code, utf8);
  return utf8;
}

std::string noise(Random& random) {
  constexpr uint64_t kMostWords = 6, kMostCharacters = 6;
  std::string made;
  for (uint64_t words = 1 + random.below(kMostWords); words > 0; --words) {
    if (!made.empty()) made += ' ';
    for (uint64_t count = 1 + random.below(kMostCharacters); count > 0; --count)
      append_utf8(random_character(random), made);
  }
  return made;
}

}  // namespace dietmt::data
