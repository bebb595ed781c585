// How formats of subtitles write codes and lines in the text of a cue.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace dietmt::service {

/// A code with which a text begins.
struct CueCode {
  enum class Kind {
    kFormat,   // <i>, {\i1}, {\an8}
    kTime,     // when the words after it are sung or spoken: <00:00:01.000>, {\k20}
    kReading,  // how words of the source are read: <ruby>, </ruby>, <rt>text</rt>
  };
  size_t bytes = 0;  // 0: there is none
  Kind kind = Kind::kFormat;
};

/// How a format writes the text of a cue.
struct CueSyntax {
  CueCode (*code)(std::string_view text) = nullptr;
  /// Bytes of a line end with which a text begins; 0: none.
  size_t (*line_end)(std::string_view text) = nullptr;
  /// Between text as it is written and what it means.
  std::string (*read)(std::string_view raw) = nullptr;
  std::string (*write)(std::string_view text) = nullptr;
  std::string_view new_line = "\n";
  /// Brackets that are written as references, between which is text; "": there are none.
  std::string_view open_bracket = {};
  std::string_view close_bracket = {};
  size_t most_columns = std::numeric_limits<size_t>::max() / 2;  // of a line
};

/// Codes in angle brackets, as in <i>, and braces, as in {\an8}, at the start of a text.
CueCode tag_code(std::string_view text);

/// Bytes of a character at the start of a text, or a reference to one (&lrm;), that only sets the
/// direction of others; 0: there is none.
size_t direction_mark(std::string_view text);

std::string without_direction_marks(std::string_view text);

/// Line ends and blank lines at the start of a text.
size_t blank_line_ends(std::string_view text);

}  // namespace dietmt::service
