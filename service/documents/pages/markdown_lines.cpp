#include "service/documents/pages/markdown_lines.h"

#include <algorithm>
#include <array>
#include <string>

#include "common/ascii.h"
#include "common/trimmed.h"
#include "nmt/alignment/placeholders.h"

namespace dietmt::service {

namespace {

// A colon before a definition.
size_t definition_label(std::string_view line) {
  return line.starts_with(": ") || line.starts_with(":\t") ? 1 : 0;
}

// The end of letters, digits, hyphens and underscores.
size_t name_end(std::string_view text, size_t begin) {
  while (begin < text.size() && (is_ascii_word(text[begin]) || text[begin] == '-')) ++begin;
  return begin;
}

// The length of !!! note, ??? tip or the === of a tab; 0: there is none.
size_t admonition(std::string_view line) {
  if (line.starts_with("=== \"") || line.starts_with("===! \"")) return line.find('"');
  if (!line.starts_with("!!!") && !line.starts_with("???")) return 0;
  const size_t space = line.substr(0, 4).ends_with('+') ? 4 : 3;
  const size_t end = name_end(line, space + 1);
  return end > space + 1 && line[space] == ' ' ? end : 0;
}

// The length of :::tip, or of ::: tip; 0: there is none.
size_t container(std::string_view line) {
  constexpr std::array<std::string_view, 22> kNames = {
      "abstract", "attention", "bug",  "caution",   "danger",  "details",  "error", "example",
      "failure",  "hint",      "info", "important", "note",    "question", "quote", "secondary",
      "spoiler",  "success",   "tip",  "summary",   "warning", "faq"};
  if (!line.starts_with(":::")) return 0;
  const size_t begin = std::min(line.find_first_not_of(": "), line.size());
  const size_t end = name_end(line, begin);
  const std::string_view name = line.substr(begin, end - begin);
  return std::ranges::find(kNames, name) == kNames.end() ? 0 : end;
}

// Attributes ({: .class}, {#id}), and comments and expressions of MDX ({/* ... */}, {a ? b : c}).
class BraceFinder {
 public:
  explicit BraceFinder(std::string_view text) : text_(text) {}

  // The length of what begins with the brace at `at`, or 0. Braces come in order, so that each part
  // of the text is read once.
  size_t at(size_t at) {
    if (text_.substr(at).starts_with("{/*")) {
      if (comment_end_ <= at) comment_end_ = text_.find("*/}", at);
      return comment_end_ == text_.npos ? 0 : comment_end_ + 3 - at;
    }
    if (end_ <= at) {
      end_ = text_.find_first_of("}\n", at + 1);
      const std::string_view inside = text_.substr(at + 1, end_ - at - 1);
      is_expression_ = std::ranges::any_of(
          kSigns, [&](std::string_view sign) { return inside.find(sign) != inside.npos; });
    }
    if (end_ == text_.npos || text_[end_] != '}' || end_ == at + 1) return 0;
    return is_expression_ || std::string_view(":.#").find(text_[at + 1]) != text_.npos
               ? end_ + 1 - at
               : 0;
  }

 private:
  static constexpr std::array<std::string_view, 5> kSigns = {" ? ", "=>", "&&", "||", "()"};

  std::string_view text_;
  size_t comment_end_ = 0;
  size_t end_ = 0;              // the next closing brace or line break
  bool is_expression_ = false;  // the text up to there, from the first brace before it
};

// True for a line with nothing but templates, and for one whose template ends on a later line.
bool is_template(std::string_view line) {
  const std::vector<std::string_view> templates = nmt::placeholders_in(line);
  std::string rest;
  const char* end = line.data();
  for (const std::string_view one : templates) {
    rest.append(end, one.data());
    end = one.data() + one.size();
  }
  rest.append(end, line.data() + line.size());
  return templates.empty() || trimmed(rest, " \t").empty();
}

}  // namespace

size_t footnote_label(std::string_view line) {
  const size_t close = line.find(']');
  return line.starts_with("[^") && line.substr(0, close + 2).ends_with("]:") ? close + 2 : 0;
}

size_t line_label(std::string_view line) {
  const size_t close = std::min(line.find(']'), line.size());
  if (line.starts_with("*[") && line.substr(close).starts_with("]:")) return close + 2;
  if (line.starts_with("[!") && name_end(line, 2) == close && close > 2 && close < line.size()) {
    const bool has_fold =
        line.substr(close + 1).starts_with('-') || line.substr(close + 1).starts_with('+');
    return close + (has_fold ? 2 : 1);
  }
  return std::max(footnote_label(line), definition_label(line));
}

bool begins_indented_block(std::string_view line) {
  const std::string_view content =
      line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  const bool is_code = line.size() - content.size() > 3;
  return admonition(content) > 0 ||
         (!is_code && (footnote_label(content) > 0 || definition_label(content) > 0));
}

bool is_directive(std::string_view line) {
  line = trimmed(line, " \t\r\n");
  for (const std::string_view begin :
       {":::", ":class:", ":name:", "!!!", "???", "=== \"", "===! \"", "{:", "$$", "[[_", "[TOC"})
    if (line.starts_with(begin)) return true;
  for (const std::string_view begin : {"{%", "{{<", "{{%"})
    if (line.starts_with(begin)) return is_template(line);
  return line.starts_with("[!") && line.ends_with("]");
}

std::optional<std::pair<size_t, size_t>> directive_title(std::string_view line) {
  line = trimmed(line, " \t\r\n");
  const auto between = [&](char open, char close) -> std::optional<std::pair<size_t, size_t>> {
    const size_t begin = line.find(open), end = line.rfind(close);
    if (begin == line.npos || end == line.npos || end <= begin + 1) return std::nullopt;
    return std::pair(begin + 1, end);
  };
  if (admonition(line) > 0) return between('"', '"');
  const size_t begin = container(line);
  if (begin == 0 || begin == line.size()) return std::nullopt;
  if (line[begin] == '[') return between('[', ']');
  const size_t end = std::min(line.find('{', begin), line.size());
  const std::string_view title = trimmed(line.substr(begin, end - begin), " \t:");
  if (line[begin] != ' ' || title.empty()) return std::nullopt;
  const auto at = static_cast<size_t>(title.data() - line.data());
  return std::pair(at, at + title.size());
}

bool is_delimiter_row(std::string_view line) {
  return line.find('|') != line.npos && line.find('-') != line.npos &&
         line.find_first_not_of("|-: \t\r\n") == line.npos;
}

bool is_mdx(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool has_quotes = line.find_first_of("'\"") != line.npos;
  if (line.starts_with("import ") && has_quotes) return true;
  return line.starts_with("export const ") || line.starts_with("export default ") ||
         line.starts_with("export function ");
}

bool has_component(std::string_view text) {
  const size_t component = text.find('<');
  return component != text.npos && component + 1 < text.size() && text[component + 1] >= 'A' &&
         text[component + 1] <= 'Z' && text.find("={", component) != text.npos;
}

std::vector<std::string_view> markdown_kept_in(std::string_view text) {
  std::vector<std::string_view> all = nmt::placeholders_in(text);
  BraceFinder braces(text);
  for (size_t at = text.find('{'); at < text.size();) {
    const size_t size = braces.at(at);
    if (size > 0) all.push_back(text.substr(at, size));
    at = text.find('{', at + std::max<size_t>(size, 1));
  }
  for (size_t at = text.find('['); at < text.size(); at = text.find('[', at + 1)) {
    const bool is_wiki = text.substr(at).starts_with("[[");
    if (!is_wiki && !text.substr(at).starts_with("[^")) continue;
    const std::string_view end = is_wiki ? "]]" : "]";
    const size_t close = text.find(end, at);
    if (close == text.npos) break;
    all.push_back(text.substr(at, close + end.size() - at));
    at = close;
  }
  std::ranges::sort(all, {}, [](std::string_view one) { return one.data(); });
  const char* end = text.data();  // of the last one
  std::erase_if(all, [&](std::string_view one) {
    if (one.data() < end) return true;
    end = one.data() + one.size();
    return false;
  });
  return all;
}

}  // namespace dietmt::service
