#include "nmt/alignment/placeholders.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>

#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

bool is_name(char c) {
  return is_digit(c) || is_ascii_letter(c) || c == '_' || c == '.' || c == '-';
}
bool begins_with_letter(std::string_view text) {
  return u_isalpha(static_cast<UChar32>(first_character(text)));
}
bool is_brace(char c) { return c == '{' || c == '}'; }

// The functions below return the length of a placeholder at the start of `text`, or 0.

// From `open` to the next `close`, with only `allowed` characters in between.
template <typename Allowed>
size_t enclosed(std::string_view text, std::string_view open, std::string_view close,
                Allowed allowed) {
  if (!text.starts_with(open)) return 0;
  size_t at = open.size();
  while (at < text.size() && allowed(text[at])) ++at;
  return text.substr(at).starts_with(close) ? at + close.size() : 0;
}

// From `open` to the next `close`, with something but no braces in between.
size_t without_braces(std::string_view text, std::string_view open, std::string_view close) {
  const size_t end = enclosed(text, open, close, [](char c) { return !is_brace(c); });
  return end > open.size() + close.size() ? end : 0;
}

// $name$: letters, digits and underscores, so "$5 or 6$" does not match.
size_t dollars(std::string_view text) {
  if (text.size() < 2 || !is_ascii_letter(text[1])) return 0;
  return enclosed(text, "$", "$",
                  [](char c) { return is_digit(c) || is_ascii_letter(c) || c == '_'; });
}

// %1 .. %99 and %L1, as in Qt. Letters may follow: "%1KB".
size_t numbered_percent(std::string_view text) {
  const size_t begin = text.starts_with("%L") ? 2 : 1;
  size_t end = begin;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == begin || end > begin + 2 || text[begin] == '0') return 0;
  return end;
}

// %[(name)|n$][flags][width][.precision][length]conversion, as in C and Python; %%; %{name}. A
// space is not a flag here: "100 % done".
size_t percent(std::string_view text) {
  if (text.size() < 2) return 0;
  if (text[1] == '%') return 2;
  if (text[1] == '{') return without_braces(text, "%{", "}");
  size_t at = std::max<size_t>(1, enclosed(text, "%(", ")", is_name));
  const auto skip = [&](std::string_view characters) {
    while (at < text.size() && characters.find(text[at]) != kNowhere) ++at;
  };
  skip("0123456789$");
  skip("-+#0'");
  skip("0123456789*.");
  skip("hlLqjzt");
  constexpr std::string_view kConversions = "diouxXeEfFgGaAcspn@";
  if (at < text.size() && kConversions.find(text[at]) != kNowhere) return at + 1;
  return numbered_percent(text);
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
  while (at < text.size() && is_digit(text[at])) ++at;
  while (at < text.size() && text[at] == ' ') ++at;
  if (at < text.size() && text[at] == '/') ++at;
  return at < text.size() && text[at] == '>' ? at + 1 : 0;
}

size_t tag(std::string_view text) {
  const size_t name = text.starts_with("</") ? 2 : 1;
  if (name >= text.size()) return 0;
  if (is_digit(text[name])) return numbered_tag(text, name);
  if (!is_ascii_letter(text[name])) return 0;
  const size_t end = end_of_tag(text);
  return end != kNowhere && text[end] == '>' ? end + 1 : 0;
}

size_t reference(std::string_view text) {
  const size_t end = enclosed(text, "&", ";", [](char c) { return is_name(c) || c == '#'; });
  return end > 2 ? end : 0;
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

// A name, or a name with a format, as in {size:>8}, {0:yyyy-MM-dd HH:mm} and {n, number, integer};
// in Fluent a function or a string.
size_t argument(std::string_view text) {
  const Argument argument(text);
  const auto up_to_brace = [&](bool fits) { return fits ? without_braces(text, "{", "}") : 0; };
  if (!argument.name.empty()) {
    if (argument.rest.starts_with('}')) return argument.rest_begin + 1;
    constexpr std::array<std::string_view, 6> kTypes = {"number",   "date",    "time",
                                                        "spellout", "ordinal", "duration"};
    const bool has_type = std::ranges::find(kTypes, argument.type()) != kTypes.end();
    const bool is_index = std::ranges::all_of(argument.name, is_digit);
    const bool has_format = is_index && argument.rest.starts_with(':');
    const bool is_upper = std::ranges::none_of(argument.name, is_lower);
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
    return is_name(c) || std::string_view(":!<>^+=,?#%*[]").find(c) != kNowhere;
  });
}

// Finds the placeholders of a text. Reads each part of it for only a few of them.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<std::string_view> all() {
    std::vector<std::string_view> found;
    for (size_t at = 0; at < text_.size();) {
      const size_t size = is_percent_of_number(at) ? 0 : size_at(at);
      if (size > 0) {
        found.push_back(text_.substr(at, size));
        end_ = at + size;
      }
      at += std::max<size_t>(size, 1);
    }
    return found;
  }

 private:
  // The percent sign of a number, followed by more of a word: 100%ige, a 50%-discount.
  bool is_percent_of_number(size_t at) const {
    if (text_[at] != '%' || at == end_ || !is_digit(text_[at - 1])) return false;
    const std::string_view text = text_.substr(at);
    if (text.size() > 2 && text[1] == '-') return !is_digit(text[2]);
    const size_t size = percent(text);
    return size > 1 && std::ranges::all_of(text.substr(1, size - 1), is_ascii_letter) &&
           begins_with_letter(text.substr(size));
  }

  // The next position of a delimiter, searched again only past the last one.
  struct Delimiter {
    std::string_view characters;
    size_t place = 0;
    bool is_known = false;
  };

  size_t size_at(size_t at) {
    const std::string_view text = text_.substr(at);
    switch (text.front()) {
      case '%':
        return percent(text);
      case '$':
        return text.starts_with("${") ? without_braces(text, "${", "}") : dollars(text);
      case '{':
        return braces(at);
      case '<':
        return text.starts_with("<%")     ? up_to(script_end_, at)
               : text.starts_with("<!--") ? up_to(note_end_, at)
                                          : tag(text);
      case '&':
        return reference(text);
      default:
        return 0;
    }
  }

  size_t braces(size_t at) {
    const std::string_view text = text_.substr(at);
    if (text.starts_with("{{{")) return without_braces(text, "{{{", "}}}");
    if (text.starts_with("{{")) return without_braces(text, "{{", "}}");
    if (text.starts_with("{%")) return up_to(statement_end_, at);
    if (text.starts_with("{\\")) return without_braces(text, "{\\", "}");
    if (text.starts_with("{#")) {
      if (const size_t size = up_to(comment_end_, at)) return size;
    }
    if (Argument(text).selects()) return closed(at);
    return argument(text);
  }

  size_t up_to(Delimiter& end, size_t at) const {
    constexpr size_t kOpening = 2;
    const size_t begin = at + kOpening;
    if (!end.is_known || (end.place != kNowhere && end.place < begin)) {
      end.place = text_.find(end.characters, begin);
      end.is_known = true;
    }
    return end.place == kNowhere ? 0 : end.place + end.characters.size() - at;
  }

  // Up to the brace that closes the one at `at`.
  size_t closed(size_t at) {
    if (closing_.empty()) find_closing();
    return closing_[at] == 0 ? 0 : closing_[at] + 1 - at;
  }

  // ICU writes '{' for the character.
  void find_closing() {
    closing_.resize(text_.size());
    std::vector<size_t> open;
    for (size_t i = 0; i < text_.size(); ++i) {
      const bool is_quoted =
          i > 0 && i + 1 < text_.size() && text_[i - 1] == '\'' && text_[i + 1] == '\'';
      if (!is_brace(text_[i]) || is_quoted) continue;
      if (text_[i] == '{') {
        open.push_back(i);
      } else if (!open.empty()) {
        closing_[open.back()] = i;
        open.pop_back();
      }
    }
  }

  std::string_view text_;
  size_t end_ = 0;  // of the last placeholder
  Delimiter statement_end_{"%}"};
  Delimiter comment_end_{"#}"};
  Delimiter script_end_{"%>"};
  Delimiter note_end_{"-->"};
  std::vector<size_t> closing_;  // for each opening brace, the one that closes it; 0: none
};

}  // namespace

std::vector<std::string_view> placeholders_in(std::string_view text) { return Scanner(text).all(); }

bool is_choice(std::string_view placeholder) {
  return placeholder.starts_with('{') && Argument(placeholder).selects();
}

}  // namespace dietmt::nmt
