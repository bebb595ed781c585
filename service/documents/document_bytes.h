// Decodes the bytes of an uploaded file: text in UTF-8, UTF-16 or UTF-32, or no text at all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace dietmt::service {

/// Why a file that begins with these bytes is not text, as a clause about the file; "" for text. 64
/// KB are enough to tell.
std::string binary_reason(std::string_view beginning);

/// True if the bytes begin with the byte-order mark of UTF-16.
bool is_utf16(std::string_view beginning);

/// The bytes without a byte-order mark of UTF-8.
std::string_view without_utf8_mark(std::string_view bytes);

/// The encoding of text that is not Unicode: what it declares as HTML does, or what its letters
/// suggest if it is in this language; "" if it is UTF-8 or UTF-16. Throws DataError if neither
/// tells.
std::string charset_of_bytes(std::string_view bytes, const std::string& language);

/// Converts text to UTF-8 and drops a byte-order mark. `charset`: of text without such a mark;
/// empty: charset_of_bytes(). Throws DataError if it is no text.
std::string text_of_bytes(std::string_view bytes, const std::string& charset = {},
                          const std::string& language = {});

/// UTF-8 text with the encoding and the byte-order mark of a file that text_of_bytes() reads and
/// that begins with these bytes.
std::string encoded_like(std::string_view beginning, const std::string& text);

/// What a file has around its text and its lines.
struct TextForm {
  bool has_utf8_mark = false;
  bool has_crlf = false;  // at the end of each line
  bool ends_with_line = true;
};
TextForm form_of(std::string_view bytes);

/// Gives text of lines that end with LF, the last one too, another form.
std::string in_form(std::string_view bytes, const TextForm& form);

/// Converts UTF-16 with a byte-order mark piece by piece.
class Utf16Decoder {
 public:
  /// Returns UTF-8 for the next bytes; incomplete characters wait for the next call. Ill-formed
  /// UTF-16 becomes U+FFFD.
  std::string decode(std::string_view bytes);

 private:
  std::string pending_;
  std::optional<bool> big_endian_;
};

/// Reads a plain or gzip file in pieces, unpacked, up to `limit` bytes. Throws
/// DocumentTooLargeError for a longer file and DataError for a damaged one; their messages do not
/// contain `path`.
void read_unpacked(const std::string& path, uint64_t limit,
                   const std::function<void(std::string_view)>& piece);

}  // namespace dietmt::service
