// The encoding of text that is neither UTF-8 nor UTF-16 with a byte-order mark.
#pragma once

#include <string>
#include <string_view>

namespace dietmt::service {

/// The bytes as UTF-8. Throws DataError if the charset is unknown or the bytes are not text in it.
std::string decoded(std::string_view bytes, const std::string& charset);

/// The encoding that a page or a gettext catalogue declares at its beginning; "" if it declares
/// none.
std::string declared_charset(std::string_view bytes);

/// The most likely encoding of a text in a language ("auto": any), judging by the frequencies of
/// its letters. A text of a few bytes is windows-1252 if it has letters of it; "" if it is too
/// short to tell.
std::string detected_charset(std::string_view bytes, const std::string& language);

}  // namespace dietmt::service
