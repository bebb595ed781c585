#include "metrics/mteval_rules.h"

#include "common/ascii.h"

namespace dietmt::metrics {
namespace {

bool is_symbol(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

bool is_no_digit(char c) { return !is_ascii_digit(c); }
bool is_period_or_comma(char c) { return c == '.' || c == ','; }
bool is_dash(char c) { return c == '-'; }

}  // namespace

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  size_t found = text.find(from);
  if (found == std::string::npos) return text;
  std::string out;
  size_t copied = 0;
  for (; found != std::string::npos; found = text.find(from, copied)) {
    out.append(text, copied, found - copied).append(to);
    copied = found + from.size();
  }
  return out.append(text, copied);
}

std::string unescape_entities(std::string text) {
  text = replace_all(std::move(text), "&quot;", "\"");
  text = replace_all(std::move(text), "&amp;", "&");
  text = replace_all(std::move(text), "&lt;", "<");
  return replace_all(std::move(text), "&gt;", ">");
}

std::string separate_symbols(std::string_view text) {
  std::string out;
  out.reserve(2 * text.size());
  for (const char c : text) {
    if (is_symbol(c))
      out.append({' ', c, ' '});
    else
      out += c;
  }
  return out;
}

std::string separate_periods_and_dashes(std::string_view text) {
  const std::string after =
      separate_pairs(std::string(text), is_no_digit, is_period_or_comma, Spacing::kAfterSecond);
  const std::string before =
      separate_pairs(after, is_period_or_comma, is_no_digit, Spacing::kBeforeFirst);
  return separate_pairs(before, is_ascii_digit, is_dash, Spacing::kAfterSecond);
}

}  // namespace dietmt::metrics
