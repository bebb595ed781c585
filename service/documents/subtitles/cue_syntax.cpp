#include "service/documents/subtitles/cue_syntax.h"

#include <algorithm>
#include <array>

#include "common/ascii.h"
#include "service/documents/html_tags.h"

namespace dietmt::service {

CueCode tag_code(std::string_view text) {
  const size_t name = text.starts_with("</") ? 2 : 1;
  char close = 0;
  if (text.starts_with("{\\"))
    close = '}';
  else if (text.starts_with('<') && text.size() > name &&
           (is_html_letter(text[name]) || is_ascii_digit(text[name])))
    close = '>';
  else
    return {direction_mark(text)};
  const size_t end = text.find_first_of(std::string{'\n', text[0], close}, 1);
  if (end == text.npos || text[end] != close) return {};
  if (close == '}' || !is_ascii_digit(text[name])) return {end + 1};
  const bool is_time = text.substr(0, end).find(':') != text.npos;
  return is_time ? CueCode{end + 1, CueCode::Kind::kTime} : CueCode{};
}

size_t direction_mark(std::string_view text) {
  constexpr std::array<std::string_view, 14> kMarks = {
      "&lrm;",  "&rlm;",  "\u200E", "\u200F", "\u061C", "\u202A", "\u202B",
      "\u202C", "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"};
  const auto mark =
      std::ranges::find_if(kMarks, [&](std::string_view one) { return text.starts_with(one); });
  return mark == kMarks.end() ? 0 : mark->size();
}

std::string without_direction_marks(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t mark = direction_mark(text);
    if (mark == 0) result += text.front();
    text.remove_prefix(std::max<size_t>(mark, 1));
  }
  return result;
}

size_t blank_line_ends(std::string_view text) {
  if (!text.starts_with('\r') && !text.starts_with('\n')) return 0;
  const size_t end = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return text.find_last_of("\r\n", end - 1) + 1;
}

}  // namespace dietmt::service
