#include "service/documents/pages/markdown_writer.h"

#include <algorithm>
#include <cctype>

#include "common/ascii.h"
#include "common/utf8.h"

namespace dietmt::service {
namespace {

bool is_space(char c) { return c == '\0' || std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_alphanumeric(char c) { return (c & 0x80) != 0 || is_ascii_word(c); }
bool is_punctuation(char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; }

// Whether a character would be markup between these two.
bool is_markup(char c, char before, char after) {
  switch (c) {
    case '\\':
      return is_punctuation(after) || after == '\0';
    case '`':
    case '[':
    case ']':
      return true;
    case '*':
      return !is_space(before) || !is_space(after);
    case '_':
      return !(is_space(before) && is_space(after)) &&
             !(is_alphanumeric(before) && is_alphanumeric(after));
    case '~':
      return !is_space(before) || after == '~';
    case '<':
      return is_ascii_letter(after) || after == '/' || after == '!' || after == '?';
    default:
      return false;
  }
}

bool is_reference(std::string_view text) {
  const size_t end = std::min(
      text.find_first_not_of("#0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 1),
      text.size());
  return end > 1 && end < std::min<size_t>(text.size(), 40) && text[end] == ';';
}

// The place of a character that would make the beginning of a line another block; npos: none.
size_t block_mark(std::string_view line) {
  if (line.empty()) return line.npos;
  const char first = line.front();
  const char second = line.size() > 1 ? line[1] : '\0';
  if (first == '>') return 0;
  if (std::string_view("#+-=").find(first) != line.npos && (is_space(second) || second == first))
    return 0;
  const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  const bool is_number = digits > 0 && digits < line.size() &&
                         (line[digits] == '.' || line[digits] == ')') &&
                         (digits + 1 == line.size() || is_space(line[digits + 1]));
  return is_number ? digits : line.npos;
}

// Whether a line of a paragraph may begin with this text.
bool may_begin_line(std::string_view text) {
  if (text.empty() || block_mark(text) != text.npos) return false;
  for (const std::string_view begin : {" ", "|", "<", "* ", "***", "___", "```", "~~~", ": "})
    if (text.starts_with(begin)) return false;
  return true;
}

}  // namespace

std::string markdown_escaped(std::string_view text, const nmt::Spellings& spellings,
                             const MarkdownPlace& place) {
  const size_t block = place.before == '\0' ? block_mark(text) : text.npos;
  std::string written;
  for (size_t at = 0; at < text.size(); ++at) {
    const auto spelling = std::ranges::find_if(
        spellings, [&](const auto& one) { return text.substr(at).starts_with(one.first); });
    if (spelling != spellings.end()) {
      written += spelling->second;
      at += spelling->first.size() - 1;
      continue;
    }
    const char c = text[at] == '\n' || text[at] == '\r' ? ' ' : text[at];
    const char before = at > 0 ? text[at - 1] : place.before;
    const char after = at + 1 < text.size() ? text[at + 1] : place.after;
    const bool is_mark = at == block || is_markup(c, before, after) ||
                         (c == '|' && place.is_cell) ||
                         (c == '&' && is_reference(text.substr(at, 40)));
    if (is_mark) written += '\\';
    written += c;
  }
  return written;
}

std::string wrapped(const std::string& text, const std::string& is_fixed,
                    const std::string& line_break, size_t width) {
  std::string lines;
  size_t begin = 0;  // of the line
  size_t space = text.npos;
  size_t count = 0;  // characters of the line
  size_t count_to_space = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ' ' && is_fixed[at] == 0 && at > begin && count <= width &&
        text[at - 1] != ' ' && text[at - 1] != '\\' &&
        may_begin_line(std::string_view(text).substr(at + 1, 12))) {
      space = at;
      count_to_space = count;
    }
    count += continues_character(text[at]) ? 0 : 1;
    if (count <= width || space == text.npos) continue;
    lines.append(text, begin, space - begin) += line_break;
    begin = space + 1;
    count -= count_to_space + 1;
    space = text.npos;
  }
  return lines.append(text, begin);
}

}  // namespace dietmt::service
