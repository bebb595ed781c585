// Tags of components in MDX, such as <Tabs groupId="os"> and </Tabs>, which may run over lines. The
// text between them is Markdown, indented as the author likes.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace dietmt::service {

/// The tags of components that `text` begins with, after spaces on its first line, if nothing but
/// spaces follows them on their last line.
struct JsxLines {
  std::vector<std::pair<size_t, size_t>> tags = {};  // bytes of each
  size_t end = 0;                                    // of the last line, without its line break
  size_t read = 0;  // if there are none: bytes in which others need not be looked for
};
JsxLines jsx_lines(std::string_view text);

/// How many levels a tag opens: 1, -1, or 0 for <Badge/>.
int jsx_levels(std::string_view tag);

}  // namespace dietmt::service
