#include "service/documents/prose.h"

#include <algorithm>

#include "common/trimmed.h"
#include "service/documents/html_tags.h"

namespace dietmt::service {
namespace {

bool is_outside_ascii(char c) { return (c & 0x80) != 0; }

bool is_word(std::string_view token) {
  return !token.empty() && std::ranges::all_of(token, [](char c) {
    return is_html_letter(c) || is_outside_ascii(c) || c == '-' || c == '\'';
  });
}

}  // namespace

bool is_prose(std::string_view text) {
  constexpr const char* kSpaces = " \t\r\n";
  size_t words = 0, others = 0;
  size_t row = 0;  // of words without other tokens in between
  bool has_sentence = false;
  const auto foreign = static_cast<size_t>(std::ranges::count_if(text, is_outside_ascii));
  if (2 * foreign > text.size()) return true;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    if (text.empty()) break;
    const std::string_view token = text.substr(0, text.find_first_of(kSpaces));
    text.remove_prefix(token.size());
    const bool is_one = is_word(trimmed(token, "\"'([.,;:!?)]"));
    ++(is_one ? words : others);
    row = is_one ? row + 1 : 0;
    const std::string_view unquoted = trimmed(token, "\"')]");
    if (unquoted.empty() || std::string_view(".!?").find(unquoted.back()) == unquoted.npos)
      continue;
    has_sentence = has_sentence || row >= 4;
    row = 0;
  }
  return has_sentence && words >= 4 * others;
}

}  // namespace dietmt::service
