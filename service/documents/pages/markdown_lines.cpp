#include "service/documents/pages/markdown_lines.h"

#include <algorithm>

#include "common/trimmed.h"
#include "nmt/alignment/placeholders.h"

namespace dietmt::service {

size_t footnote_label(std::string_view line) {
  const size_t close = line.find(']');
  return line.starts_with("[^") && line.substr(0, close + 2).ends_with("]:") ? close + 2 : 0;
}

bool is_directive(std::string_view line) {
  line = trimmed(line, " \t\r\n");
  for (const std::string_view begin :
       {":::", "!!!", "???", "{%", "{{<", "{{%", "{:", "$$", "[[_", "[TOC"})
    if (line.starts_with(begin)) return true;
  return line.starts_with("[!") && line.ends_with("]");
}

bool is_delimiter_row(std::string_view line) {
  return line.find('|') != line.npos && line.find('-') != line.npos &&
         line.find_first_not_of("|-: \t\r\n") == line.npos;
}

bool is_mdx(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool has_quotes = line.find_first_of("'\"") != line.npos;
  if (line.starts_with("import ") && has_quotes) return true;
  for (const std::string_view begin : {"export const ", "export default ", "export function "})
    if (line.starts_with(begin)) return true;
  const size_t component = text.find('<');
  return component != text.npos && component + 1 < text.size() && text[component + 1] >= 'A' &&
         text[component + 1] <= 'Z' && text.find("={", component) != text.npos;
}

std::vector<std::string_view> markdown_kept_in(std::string_view text) {
  std::vector<std::string_view> all = nmt::placeholders_in(text);
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
