#include "nmt/alignment/placeholder_syntax.h"

#include <algorithm>
#include <array>

#include "common/ascii.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

bool is_name(char c) {
  return is_ascii_digit(c) || is_ascii_letter(c) || c == '_' || c == '.' || c == '-';
}
bool is_identifier(char c) { return is_ascii_digit(c) || is_ascii_letter(c) || c == '_'; }
bool is_message_name(char c) { return c > ' ' && c != '@'; }

// From `open` to the next `close`, with only `allowed` characters in between.
template <typename Allowed>
size_t enclosed(std::string_view text, std::string_view open, std::string_view close,
                Allowed allowed) {
  if (!text.starts_with(open)) return 0;
  size_t at = open.size();
  while (at < text.size() && allowed(text[at])) ++at;
  return text.substr(at).starts_with(close) ? at + close.size() : 0;
}

// %1 .. %99 and %L1, as in Qt. Letters may follow: "%1KB".
size_t numbered_percent(std::string_view text) {
  const size_t begin = text.starts_with("%L") ? 2 : 1;
  size_t end = begin;
  while (end < text.size() && is_ascii_digit(text[end])) ++end;
  if (end == begin || end > begin + 2 || text[begin] == '0') return 0;
  return end;
}

// The end of the tag that `text` starts: the next < or >, or the > after quoted attribute values,
// which may contain templates: <a href="<%= link %>">.
size_t end_of_tag(std::string_view text) {
  char quote = 0;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '<' && (quote == 0 || !text.substr(i).starts_with("<%"))) break;
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

// <0>, </0>, <1/>
size_t numbered_tag(std::string_view text, size_t at) {
  while (at < text.size() && is_ascii_digit(text[at])) ++at;
  while (at < text.size() && text[at] == ' ') ++at;
  if (at < text.size() && text[at] == '/') ++at;
  return at < text.size() && text[at] == '>' ? at + 1 : 0;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

size_t skip_blanks(std::string_view text, size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// An argument in braces: its name, with $ or - before it in Fluent, and the rest.
struct Argument {
  explicit Argument(std::string_view text) {
    size_t at = skip_blanks(text, 1);
    begin = at;
    if (at < text.size() && (text[at] == '$' || text[at] == '-')) ++at;
    const size_t first = at;
    while (at < text.size() && is_name(text[at])) ++at;
    name = text.substr(first, at - first);
    rest_begin = skip_blanks(text, at);
    rest = text.substr(std::min(rest_begin, text.size()));
  }

  // The first word after a comma: plural in {n, plural, ...}.
  std::string_view type() const {
    if (name.empty() || !rest.starts_with(',')) return {};
    const size_t first = skip_blanks(rest, 1);
    size_t last = first;
    while (last < rest.size() && is_ascii_letter(rest[last])) ++last;
    return rest.substr(first, last - first);
  }

  bool selects() const {
    constexpr std::array<std::string_view, 4> kTypes = {"plural", "select", "selectordinal",
                                                        "choice"};
    return (!name.empty() && rest.starts_with("->")) ||
           std::ranges::find(kTypes, type()) != kTypes.end();
  }

  size_t begin = 0;
  std::string_view name;
  std::string_view rest;  // after the name and spaces
  size_t rest_begin = 0;
};

}  // namespace

size_t enclosed_without_braces(std::string_view text, std::string_view open,
                               std::string_view close) {
  const size_t end = enclosed(text, open, close, [](char c) { return !is_brace(c); });
  return end > open.size() + close.size() ? end : 0;
}

size_t dollars_at(std::string_view text) {
  if (text.size() < 2 || !is_ascii_letter(text[1])) return 0;
  return enclosed(text, "$", "$", [](char c) { return is_identifier(c); });
}

size_t percent_at(std::string_view text) {
  if (text.size() < 2) return 0;
  if (text[1] == '%') return 2;
  if (text[1] == '{') return enclosed_without_braces(text, "%{", "}");
  constexpr std::string_view kArgument = "%arg";
  if (text.starts_with(kArgument) &&
      (text.size() == kArgument.size() || !is_identifier(text[kArgument.size()])))
    return kArgument.size();
  size_t at = std::max<size_t>(1, enclosed(text, "%(", ")", is_name));
  const auto skip = [&](std::string_view characters) {
    while (at < text.size() && characters.find(text[at]) != std::string_view::npos) ++at;
  };
  skip("0123456789$");
  skip("-+#0'");
  if (text.substr(at - 1).starts_with("#@"))
    if (const size_t size = enclosed(text.substr(at), "@", "@", is_message_name)) return at + size;
  skip("0123456789*.");
  skip("hlLqjzt");
  constexpr std::string_view kConversions = "diouxXeEfFgGaAcspn@";
  if (at < text.size() && kConversions.find(text[at]) != std::string_view::npos) return at + 1;
  return numbered_percent(text);
}

size_t tag_at(std::string_view text) {
  const size_t name = text.starts_with("</") ? 2 : 1;
  if (name >= text.size()) return 0;
  if (is_ascii_digit(text[name])) return numbered_tag(text, name);
  if (!is_ascii_letter(text[name])) return 0;
  const size_t end = end_of_tag(text);
  return end != std::string_view::npos && text[end] == '>' ? end + 1 : 0;
}

size_t reference_at(std::string_view text) {
  const size_t end = enclosed(text, "&", ";", [](char c) { return is_name(c) || c == '#'; });
  return end > 2 ? end : 0;
}

size_t argument_at(std::string_view text) {
  const Argument argument(text);
  const auto up_to_brace = [&](bool fits) {
    return fits ? enclosed_without_braces(text, "{", "}") : 0;
  };
  if (!argument.name.empty()) {
    if (argument.rest.starts_with('}')) return argument.rest_begin + 1;
    constexpr std::array<std::string_view, 6> kTypes = {"number",   "date",    "time",
                                                        "spellout", "ordinal", "duration"};
    const bool has_type = std::ranges::find(kTypes, argument.type()) != kTypes.end();
    const bool is_index = std::ranges::all_of(argument.name, is_ascii_digit);
    const bool has_format = is_index && argument.rest.starts_with(':');
    const bool is_upper = std::ranges::none_of(argument.name, is_ascii_lower);
    const bool is_function =
        argument.rest.starts_with('(') && (is_upper || text[argument.begin] == '-');
    if (has_type || has_format || is_function) return up_to_brace(true);
  }
  if (text.substr(std::min(argument.begin, text.size())).starts_with('"')) {
    const size_t end = enclosed(text.substr(argument.begin), "\"", "\"",
                                [](char c) { return !is_brace(c) && c != '"'; });
    const size_t close = skip_blanks(text, argument.begin + end);
    return end > 0 && text.substr(std::min(close, text.size())).starts_with('}') ? close + 1 : 0;
  }
  return enclosed(text, "{", "}", [](char c) {
    return is_name(c) || std::string_view(":!<>^+=,?#%*[]").find(c) != std::string_view::npos;
  });
}

size_t paired_brace_at(std::string_view text) {
  constexpr size_t kMostCharacters = 8;
  const auto is_short_name = [](char c) { return is_ascii_digit(c) || is_ascii_lower(c); };
  const std::string_view beginning = text.substr(0, kMostCharacters + 2);
  const size_t end = beginning.starts_with('{') ? enclosed(beginning, "{", ">", is_short_name)
                                                : enclosed(beginning, "<", "}", is_short_name);
  return end > 2 ? end : 0;
}

size_t colon_name_at(std::string_view text) {
  constexpr size_t kShortest = 3;  // :p is an emoticon
  if (text.size() < kShortest || !is_ascii_lower(text[1])) return 0;
  size_t end = 1;
  while (end < text.size() && is_identifier(text[end])) ++end;
  if (end < kShortest || is_word_character(first_character(text.substr(end)))) return 0;
  return text.substr(end).starts_with(':') ? end + 1 : end;
}

size_t numbered_box_at(std::string_view text) {
  constexpr std::string_view kEmpty = "[XX]";
  const size_t end = enclosed(text, "[X", "X]", is_ascii_digit);
  return end > kEmpty.size() ? end : 0;
}

size_t dunder_at(std::string_view text) {
  constexpr size_t kMarks = 2;
  if (text.size() <= kMarks || !text.starts_with("__") || !is_ascii_letter(text[kMarks])) return 0;
  size_t end = kMarks;
  while (end < text.size() && is_identifier(text[end])) ++end;
  const bool is_closed = end > 2 * kMarks && text.substr(0, end).ends_with("__");
  return is_closed && !is_word_character(first_character(text.substr(end))) ? end : 0;
}

bool selects(std::string_view text) { return Argument(text).selects(); }

bool is_choice(std::string_view placeholder) {
  return placeholder.starts_with('{') && selects(placeholder);
}

}  // namespace dietmt::nmt
