// Text of Markdown, written so that it means itself.
#pragma once

#include <string>
#include <string_view>

#include "nmt/alignment/inline_markup.h"

namespace dietmt::service {

/// What is around a text: '\0' at the ends of a block.
struct MarkdownPlace {
  char before = ' ';
  char after = ' ';
  bool is_cell = false;
};

/// With backslashes before what would be markup.
std::string markdown_escaped(std::string_view text, const nmt::Spellings& spellings,
                             const MarkdownPlace& place);

/// Breaks a text at spaces outside its markup, as its source was broken. `is_fixed`: of each byte,
/// whether it is markup. `width`: of a line, in characters.
std::string wrapped(const std::string& text, const std::string& is_fixed,
                    const std::string& line_break, size_t width);

}  // namespace dietmt::service
