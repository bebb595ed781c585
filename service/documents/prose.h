// Preformatted text: prose or code.
#pragma once

#include <string_view>

namespace dietmt::service {

/// Whether a text is prose rather than code, a listing or a table: at least four fifths of it are
/// words, and four of them in a row end a sentence; or most of it is not ASCII.
bool is_prose(std::string_view text);

}  // namespace dietmt::service
