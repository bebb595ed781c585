#include "service/documents/format_directives.h"

#include <algorithm>
#include <array>

#include "common/ascii.h"
#include "nmt/alignment/placeholders.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kFlags = "-+ #0";
constexpr size_t kLongest = 512;  // directive; a search for its end reads no more than this

// Source: the syntax of each language's formatting functions, as GNU gettext 0.21 describes it in
// the section "Preparing Strings" of its manual.
constexpr std::array<FormatSyntax, 24> kSyntaxes = {{
    {"c-format", FormatKind::kPercent, "-+ #0'I", "diouxXeEfFgGaAcsCSpnm%", "", true},
    {"objc-format", FormatKind::kPercent, "-+ #0'I", "diouxXeEfFgGaAcsCSpnm@%", "", true},
    {"gcc-internal-format", FormatKind::kPercent, "q+#l", "dioxucsSpDEFGHJKLOPQTVmnq<>'%", "",
     true},
    {"python-format", FormatKind::kPercent, kFlags, "diouxXeEfFgGcrsa%", "(", false},
    {"perl-format", FormatKind::kPercent, "-+ #0v", "csduoxXeEfFgGbBaAnpiDUO%", "", true},
    {"ruby-format", FormatKind::kPercent, kFlags, "diouxXbBeEfgGaAcsp%", "<{", true},
    {"php-format", FormatKind::kPercent, "-+ 0", "bcdeEufFgGosxX%", "", true},
    {"lua-format", FormatKind::kPercent, kFlags, "acdeEfgGiopqsuxX%", "", false},
    {"awk-format", FormatKind::kPercent, kFlags, "diouxXeEfFgGaAcs%", "", true},
    {"tcl-format", FormatKind::kPercent, kFlags, "cdeEfgGiosuxX%", "", true},
    {"javascript-format", FormatKind::kPercent, "-+0", "bcdfjosxX%", "", true},
    {"java-printf-format", FormatKind::kPercent, "-#+ 0,(", "bBhHsScCdoxXeEfgGaAn%", "", true},
    {"elisp-format", FormatKind::kPercent, kFlags, "sSdoxXcefg%", "", true},
    {"librep-format", FormatKind::kPercent, kFlags, "sSdoxXc%", "", true},
    {"qt-format", FormatKind::kNumber},
    {"qt-plural-format", FormatKind::kNumber},
    {"kde-format", FormatKind::kNumber},
    {"python-brace-format", FormatKind::kBraces},
    {"perl-brace-format", FormatKind::kBraces},
    {"csharp-format", FormatKind::kBraces},
    {"java-format", FormatKind::kBraces},
    {"scheme-format", FormatKind::kTilde},
    {"lisp-format", FormatKind::kTilde},
    {"sh-format", FormatKind::kDollar},
}};

// The functions below return the length of a directive at the start of `text`, or 0.

size_t after_name(std::string_view text, char closing) {
  const size_t end = text.find(closing);
  return end == text.npos ? 0 : end + 1;
}

size_t percent(std::string_view text, const FormatSyntax& syntax) {
  size_t at = 1;
  const auto skip = [&](std::string_view some) {
    const size_t begin = at;
    at = std::min(text.find_first_not_of(some, at), text.size());
    return at > begin;
  };
  if (at < text.size() && syntax.names.find(text[at]) != syntax.names.npos) {
    const char closing = text[at] == '(' ? ')' : text[at] == '<' ? '>' : '}';
    const size_t end = after_name(text, closing);
    if (end == 0 || closing == '}') return end;
    at = end;
  }
  if (syntax.has_numbers && skip("0123456789") && (at == text.size() || text[at++] != '$')) at = 1;
  skip(syntax.flags);
  skip("0123456789*$");
  if (at < text.size() && text[at] == '.') {
    ++at;
    skip("0123456789*$");
  }
  if (syntax.flag == "c-format" && at < text.size() && text[at] == '<')  // %<PRIuMAX>
    return after_name(text, '>');
  const auto is_conversion = [&] {
    return at < text.size() && syntax.conversions.find(text[at]) != syntax.conversions.npos;
  };
  const size_t without_size = at;
  skip("hlLqjzt");
  if (!is_conversion()) at = without_size;
  return is_conversion() ? at + 1 : 0;
}

size_t number_directive(std::string_view text) {
  size_t end = text.starts_with("%L") ? 2 : 1;
  if (text.starts_with("%n")) return 2;
  const size_t begin = end;
  while (end < text.size() && end < begin + 2 && is_ascii_digit(text[end])) ++end;
  return end > begin ? end : 0;
}

size_t braces(std::string_view text) {
  if (text.starts_with("{{") || text.starts_with("}}")) return 2;
  size_t depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return at + 1;
  }
  return 0;
}

// Parameters are numbers, quoted characters, V and #, separated by commas; then : and @.
size_t tilde(std::string_view text) {
  size_t at = 1;
  while (at < text.size() && (is_ascii_digit(text[at]) || text[at] == ',' || text[at] == '\'' ||
                              text[at] == '#' || text[at] == '+' || text[at] == '-'))
    at += text[at] == '\'' ? 2 : 1;
  at = text.find_first_not_of(":@", std::min(at, text.size()));
  return at < text.size() ? at + 1 : 0;
}

size_t dollar(std::string_view text) {
  if (text.starts_with("${")) return after_name(text, '}');
  size_t end = 1;
  while (end < text.size() &&
         (is_ascii_letter(text[end]) || text[end] == '_' || (end > 1 && is_ascii_digit(text[end]))))
    ++end;
  return end > 1 ? end : 0;
}

std::string_view first_characters(FormatKind kind) {
  switch (kind) {
    case FormatKind::kBraces:
      return "{}";
    case FormatKind::kTilde:
      return "~";
    case FormatKind::kDollar:
      return "$";
    default:
      return "%";
  }
}

size_t directive(std::string_view text, const FormatSyntax& syntax) {
  switch (syntax.kind) {
    case FormatKind::kNumber:
      return number_directive(text);
    case FormatKind::kBraces:
      return braces(text);
    case FormatKind::kTilde:
      return tilde(text);
    case FormatKind::kDollar:
      return dollar(text);
    default:
      return percent(text, syntax);
  }
}

}  // namespace

const FormatSyntax* format_syntax(std::string_view flag) {
  const auto* const found = std::ranges::find(kSyntaxes, flag, &FormatSyntax::flag);
  return found == kSyntaxes.end() ? nullptr : found;
}

std::vector<std::string_view> directives_in(std::string_view text, const FormatSyntax* syntax) {
  if (syntax == nullptr) return nmt::placeholders_in(text);
  const std::string_view starts = first_characters(syntax->kind);
  std::vector<std::string_view> found;
  size_t begin = 0;  // of the text after the last directive
  const auto add_others = [&](size_t end) {
    for (const std::string_view other : nmt::placeholders_in(text.substr(begin, end - begin)))
      if (starts.find(other.front()) == starts.npos) found.push_back(other);
  };
  for (size_t at = text.find_first_of(starts); at != text.npos;) {
    const size_t size = directive(text.substr(at, kLongest), *syntax);
    if (size > 0) {
      add_others(at);
      found.push_back(text.substr(at, size));
      begin = at + size;
    }
    at = text.find_first_of(starts, at + std::max<size_t>(size, 1));
  }
  add_others(text.size());
  return found;
}

bool takes_next_argument(std::string_view directive) {
  if (directive.size() < 2) return false;
  const char second = directive[1], last = directive.back();
  if (directive.front() == '{') return second == '}' || second == ':' || second == '!';
  if (directive.front() == '~') return last != '%' && last != '~' && last != '&' && last != '\n';
  if (directive.front() != '%') return false;
  const bool has_name = second == '(' || second == '<' || second == '{';
  return (!has_name || directive.starts_with("%<PRI")) && last != '%' && last != 'm' &&
         !is_ascii_digit(last) && directive.find('$') == directive.npos;
}

std::optional<std::string> with_number(std::string_view directive, size_t number,
                                       const FormatSyntax* syntax) {
  if (syntax == nullptr || !syntax->has_numbers || directive.find('*') != directive.npos)
    return std::nullopt;
  return "%" + std::to_string(number) + "$" + std::string(directive.substr(1));
}

}  // namespace dietmt::service
