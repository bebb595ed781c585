#include "nmt/alignment/placeholders.h"

#include <algorithm>
#include <cctype>

namespace dietmt::nmt {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_ascii_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_name(char c) {
  return is_digit(c) || is_ascii_letter(c) || c == '_' || c == '.' || c == '-';
}

// The functions below return the length of a placeholder at the beginning of `text`, or 0.

// From `open` to the next `close`, with only `allowed` between them.
template <typename Allowed>
size_t enclosed(std::string_view text, std::string_view open, std::string_view close,
                Allowed allowed) {
  if (!text.starts_with(open)) return 0;
  size_t at = open.size();
  while (at < text.size() && allowed(text[at])) ++at;
  return text.substr(at).starts_with(close) ? at + close.size() : 0;
}

// $name$: letters, digits and underscores, so that "$5 or 6$" is none.
size_t dollars(std::string_view text) {
  if (text.size() < 2 || !is_ascii_letter(text[1])) return 0;
  return enclosed(text, "$", "$",
                  [](char c) { return is_digit(c) || is_ascii_letter(c) || c == '_'; });
}

// %[(name)|n$][flags][width][.precision][length]conversion, as in C and Python; %%. A space is no
// flag here: "100 % done".
size_t percent(std::string_view text) {
  if (text.size() < 2) return 0;
  if (text[1] == '%') return 2;
  size_t at = std::max<size_t>(1, enclosed(text, "%(", ")", is_name));
  const auto skip = [&](std::string_view characters) {
    while (at < text.size() && characters.find(text[at]) != characters.npos) ++at;
  };
  skip("0123456789$");
  skip("-+#0'");
  skip("0123456789*.");
  skip("hlLqjzt");
  constexpr std::string_view kConversions = "diouxXeEfFgGaAcspn@";
  return at < text.size() && kConversions.find(text[at]) != kConversions.npos ? at + 1 : 0;
}

// The next < or > of a text that begins with <, or the > after the quoted values of attributes.
size_t end_of_tag(std::string_view text) {
  char quote = 0;
  for (size_t i = 1; i < text.size() && text[i] != '<'; ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '>') {
      return i;
    } else if ((text[i] == '"' || text[i] == '\'') && text[i - 1] == '=') {
      quote = text[i];
    }
  }
  return text.find_first_of("<>", 1);
}

size_t tag(std::string_view text) {
  const size_t name = text.starts_with("</") ? 2 : 1;
  if (name >= text.size() || !is_ascii_letter(text[name])) return 0;
  const size_t end = end_of_tag(text);
  return end != text.npos && text[end] == '>' ? end + 1 : 0;
}

size_t reference(std::string_view text) {
  const size_t end = enclosed(text, "&", ";", [](char c) { return is_name(c) || c == '#'; });
  return end > 2 ? end : 0;
}

size_t placeholder(std::string_view text) {
  // A name with its format, as in {size:>8}.
  const auto in_braces = [](char c) {
    return is_name(c) || std::string_view(":!<>^+=,").find(c) != std::string_view::npos;
  };
  const auto in_double_braces = [](char c) { return is_name(c) || c == ' '; };
  switch (text.front()) {
    case '%':
      return percent(text);
    case '$':
      return text.starts_with("${") ? enclosed(text, "${", "}", is_name) : dollars(text);
    case '{':
      return text.starts_with("{{") ? enclosed(text, "{{", "}}", in_double_braces)
                                    : enclosed(text, "{", "}", in_braces);
    case '<':
      return tag(text);
    case '&':
      return reference(text);
    default:
      return 0;
  }
}

}  // namespace

std::vector<std::string_view> placeholders_in(std::string_view text) {
  std::vector<std::string_view> found;
  for (size_t at = 0; at < text.size();) {
    const size_t size = placeholder(text.substr(at));
    if (size > 0) found.push_back(text.substr(at, size));
    at += std::max<size_t>(size, 1);
  }
  return found;
}

}  // namespace dietmt::nmt
