// How formats of subtitles write codes and lines in the text of a cue.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace dietmt::service {

/// How a format writes the text of a cue.
struct CueSyntax {
  /// Bytes of a code or a line end with which a text begins; 0: none.
  size_t (*code)(std::string_view text) = nullptr;
  size_t (*line_end)(std::string_view text) = nullptr;
  /// Between text as it is written and what it means.
  std::string (*read)(std::string_view raw) = nullptr;
  std::string (*write)(std::string_view text) = nullptr;
  std::string_view new_line = "\n";
  size_t most_columns = std::numeric_limits<size_t>::max() / 2;  // of a line
};

/// Codes in angle brackets, as in <i>, and braces, as in {\an8}, at the start of a text.
size_t tag_code(std::string_view text);

/// Line ends and blank lines at the start of a text.
size_t blank_line_ends(std::string_view text);

}  // namespace dietmt::service
