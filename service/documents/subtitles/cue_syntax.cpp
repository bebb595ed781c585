#include "service/documents/subtitles/cue_syntax.h"

#include <algorithm>

#include "common/ascii.h"
#include "service/documents/html_tags.h"

namespace dietmt::service {

size_t tag_code(std::string_view text) {
  const size_t name = text.starts_with("</") ? 2 : 1;
  char close = 0;
  if (text.starts_with("{\\"))
    close = '}';
  else if (text.starts_with('<') && text.size() > name &&
           (is_html_letter(text[name]) || is_ascii_digit(text[name])))
    close = '>';
  else
    return 0;
  const size_t end = text.find_first_of(std::string{'\n', text[0], close}, 1);
  if (end == text.npos || text[end] != close) return 0;
  const bool is_time = text.substr(0, end).find(':') != text.npos;
  return is_ascii_digit(text[name]) && !is_time ? 0 : end + 1;
}

size_t blank_line_ends(std::string_view text) {
  if (!text.starts_with('\r') && !text.starts_with('\n')) return 0;
  const size_t end = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return text.find_last_of("\r\n", end - 1) + 1;
}

}  // namespace dietmt::service
