#include "service/documents/kept_signs.h"

#include <algorithm>

#include "common/ascii.h"

namespace dietmt::service {
namespace {

constexpr bool is_name(char c) { return is_ascii_word(c) || c == '_'; }

// The length of a directive of strftime at `at`, or 0.
size_t date_directive(std::string_view text, size_t at) {
  if (text[at] != '%') return 0;
  size_t end = at + 1;
  if (end < text.size() && std::string_view("-_0^#EO").find(text[end]) != text.npos) ++end;
  const bool has_letter = end < text.size() && is_ascii_letter(text[end]);
  return has_letter ? end + 1 - at : 0;
}

// In text, a letter after a directive is a word: 100 %of.
bool is_date_in_text(std::string_view text, size_t at, size_t size) {
  const size_t end = at + size;
  return (at == 0 || !is_ascii_digit(text[at - 1])) &&
         (end == text.size() || !is_ascii_letter(text[end]));
}

// The length of a backslash with what it escapes. Names in paths are longer than one letter.
size_t escape(std::string_view text, size_t at) {
  const size_t next = at + 1;
  if (next >= text.size() || text[next] <= ' ' || text[next] > '~' || text[next] == '%') return 1;
  const bool is_word = is_name(text[next]) && next + 1 < text.size() && is_name(text[next + 1]);
  return is_word ? 1 : 2;
}

bool begins_line(std::string_view text, size_t at) {
  while (at > 0 && text[at - 1] == ' ') --at;
  return at == 0 || text[at - 1] == '\n';
}

// The length of an option of a command, --name or --name=VALUE, or 0.
size_t option(std::string_view text, size_t at) {
  constexpr size_t kDashes = 2;
  const bool begins = at == 0 || (!is_name(text[at - 1]) && text[at - 1] != '-');
  size_t end = at + kDashes;
  if (!begins || !text.substr(at).starts_with("--") || end == text.size() ||
      !is_ascii_letter(text[end]))
    return 0;
  const auto goes_on = [&] {
    return end < text.size() && (is_name(text[end]) || text[end] == '-');
  };
  while (goes_on()) ++end;
  if (end + 1 < text.size() && text[end] == '=' && is_name(text[end + 1]))
    for (++end; goes_on();) ++end;
  return end - at;
}

// The length of the sign at `at`, or 0.
size_t sign_at(std::string_view text, size_t at, bool has_dates) {
  switch (text[at]) {
    case '\t':
    case '<':
    case '>':
    case '{':
    case '}':
    case '|':
      return 1;
    case '\\':
      return escape(text, at);
    case '\'':
      return text.substr(at, 3) == "'{'" || text.substr(at, 3) == "'}'" ? 3 : 0;
    case '-':
      return option(text, at);
    case '#': {
      if (at > 0 && text[at - 1] == '#') return 0;
      const size_t end = std::min(text.find_first_not_of('#', at), text.size());
      return begins_line(text, at) && end < text.size() && text[end] == ' ' ? end - at : 0;
    }
    case '%': {
      const size_t size = has_dates ? date_directive(text, at) : 0;
      return size > 0 && is_date_in_text(text, at, size) ? size : 0;
    }
    default:
      return 0;
  }
}

// The length of a name, an @ and another name, perhaps with dots, at `begin`, or 0.
size_t modified_word(std::string_view text, size_t begin) {
  size_t end = begin;
  while (end < text.size() && is_name(text[end])) ++end;
  if (end == begin || end + 1 >= text.size() || text[end] != '@' || !is_name(text[end + 1]))
    return 0;
  const auto goes_on = [&](size_t at) { return at < text.size() && is_name(text[at]); };
  for (++end; goes_on(end) || (end < text.size() && text[end] == '.' && goes_on(end + 1));) ++end;
  return end - begin;
}

// Whether a letter of POD, as in B<text> and E<lt>, is before the bracket at `bracket`.
bool is_after_pod_letter(std::string_view text, size_t bracket) {
  return bracket > 0 && text[bracket] == '<' &&
         std::string_view("BCEFILSXZ").find(text[bracket - 1]) != text.npos &&
         (text[bracket - 1] == 'E' || bracket == 1 || !is_name(text[bracket - 2]));
}

void add_signs(std::string_view text, size_t begin, size_t end, bool has_dates,
               std::vector<std::string_view>& found) {
  const std::string_view part = text.substr(0, end);
  while (begin < end) {
    const bool starts_word = is_name(text[begin]) && (begin == 0 || !is_name(text[begin - 1]));
    size_t size = starts_word ? modified_word(part, begin) : sign_at(part, begin, has_dates);
    if (starts_word && begin + 1 < end && is_after_pod_letter(text, begin + 1)) size = 2;
    if (size > 0) found.push_back(text.substr(begin, size));
    begin += std::max<size_t>(size, 1);
  }
}

// dd/MM/yyyy and HH:mm: runs of one letter each.
bool is_letter_pattern(std::string_view text) {
  size_t runs = 0, longest = 0;
  for (size_t at = 0; at < text.size();) {
    if (!is_ascii_letter(text[at])) {
      if (std::string_view(" /.:,-").find(text[at]) == text.npos) return false;
      ++at;
      continue;
    }
    const size_t end = std::min(text.find_first_not_of(text[at], at), text.size());
    const bool is_known = std::string_view("yMdEHhmsaSzZ").find(text[at]) != text.npos;
    if (!is_known || (end < text.size() && is_ascii_letter(text[end]))) return false;
    longest = std::max(longest, end - at);
    ++runs;
    at = end;
  }
  return runs > 1 && longest > 1;
}

}  // namespace

std::vector<std::string_view> kept_parts_in(std::string_view text, const FormatSyntax* syntax) {
  const bool has_dates = syntax == nullptr || syntax->kind != FormatKind::kPercent;
  std::vector<std::string_view> found;
  size_t begin = 0;
  for (const std::string_view one : directives_in(text, syntax)) {
    const auto at = static_cast<size_t>(one.data() - text.data());
    const bool is_pod = at > begin && is_after_pod_letter(text, at);
    if (is_pod && one.find(' ') != one.npos && one.find('=') == one.npos) continue;  // I<two words>
    const size_t first = at - (is_pod ? 1 : 0);
    add_signs(text, begin, first, has_dates, found);
    begin = at + one.size();
    found.push_back(text.substr(first, begin - first));
  }
  add_signs(text, begin, text.size(), has_dates, found);
  return found;
}

bool is_date_format(std::string_view text) {
  if (is_letter_pattern(text)) return true;
  size_t directives = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t size = date_directive(text, at);
    directives += size > 0 ? 1 : 0;
    if (size == 0 && (static_cast<unsigned char>(text[at]) >= 0x80 || is_name(text[at])))
      return false;
    at += std::max<size_t>(size, 1);
  }
  return directives > 0;
}

}  // namespace dietmt::service
