// What shows in a subtitle who speaks, or that somebody sings: it stays as it is.
#pragma once

#include <string_view>

namespace dietmt::service {

/// Remove what a text begins with, if it does: notes of music; the dashes of a dialogue, but not
/// the sign of a number; JOHN: or MRS. SMITH:
bool take_notes(std::string_view& text);
bool take_dash(std::string_view& text);
bool take_name(std::string_view& text);

/// The text without spaces and notes at its end.
std::string_view without_ending(std::string_view text);

/// Whether this is a name when it is in brackets before words: John, Mrs. Smith.
bool is_name(std::string_view text);

struct Brackets {
  std::string_view open;
  std::string_view close;
};

/// The brackets whose first one begins the text; empty ones otherwise.
Brackets brackets_of(std::string_view text);

/// Whether a line is another speaker's, or music, or a description.
bool starts_part(std::string_view line);

}  // namespace dietmt::service
