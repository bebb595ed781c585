#include "data/text/byte_words.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>

#include "data/text/source_text.h"
#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

enum class Kind { kLetter, kNumber, kSpace, kOther };

Kind kind_of(UChar32 code) {
  if (u_hasBinaryProperty(code, UCHAR_WHITE_SPACE)) return Kind::kSpace;
  const auto mask = U_GET_GC_MASK(code);
  if ((mask & U_GC_L_MASK) != 0) return Kind::kLetter;
  return (mask & U_GC_N_MASK) != 0 ? Kind::kNumber : Kind::kOther;
}

size_t contraction_at(std::string_view text) {
  for (const std::string_view one : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.starts_with(one)) return one.size();
  return 0;
}

// The end of the characters of one kind from `at` on, and the begin of the last of them.
std::pair<size_t, size_t> run_at(std::string_view text, size_t at, Kind kind) {
  size_t last = at;
  while (at < text.size()) {
    const Character next = first_character_of(text.substr(at));
    if (kind_of(next.code) != kind) break;
    last = at;
    at += next.bytes;
  }
  return {at, last};
}

size_t word_end(std::string_view text, size_t begin) {
  if (const size_t bytes = contraction_at(text.substr(begin)); bytes > 0) return begin + bytes;
  const size_t at = begin + (text[begin] == ' ' ? 1 : 0);
  if (at < text.size()) {
    const Kind kind = kind_of(first_character_of(text.substr(at)).code);
    if (kind != Kind::kSpace) return run_at(text, at, kind).first;
  }
  const auto [end, last] = run_at(text, begin, Kind::kSpace);
  return end == text.size() || last == begin ? end : last;
}

// GPT-2's character of each byte: itself if it is visible in Latin-1, else the next one from U+0100
// on.
std::array<int, 0x200> bytes_by_character() {
  std::array<int, 0x200> bytes = {};
  bytes.fill(-1);
  int next = 0x100;
  for (int byte = 0; byte < 0x100; ++byte) {
    const bool is_visible = (byte > ' ' && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    bytes[static_cast<size_t>(is_visible ? byte : next++)] = byte;
  }
  return bytes;
}

}  // namespace

std::vector<size_t> byte_word_ends(std::string_view text) {
  std::vector<size_t> ends;
  for (size_t at = 0; at < text.size(); at = ends.back()) ends.push_back(word_end(text, at));
  return ends;
}

std::optional<std::string> bytes_of_alphabet(std::string_view text) {
  static const std::array<int, 0x200> kBytes = bytes_by_character();
  std::string bytes;
  for (const SourceCharacter& one : source_characters(text, 0, static_cast<int32_t>(text.size()))) {
    if (one.code >= kBytes.size() || kBytes[one.code] < 0) return {};
    bytes += static_cast<char>(kBytes[one.code]);
  }
  return bytes;
}

}  // namespace dietmt::data
