// What the bytes of an uploaded file are: text in UTF-8 or UTF-16, or no text at all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace dietmt::service {

/// Why a file that begins with these bytes is no text, as a clause about the file; empty for text.
/// 64 KB show it.
std::string binary_reason(std::string_view beginning);

/// True if the bytes begin with the byte-order mark of UTF-16.
bool is_utf16(std::string_view beginning);

/// The bytes without a byte-order mark of UTF-8.
std::string_view without_utf8_mark(std::string_view bytes);

/// Converts UTF-16 with a byte-order mark to UTF-8 and drops a byte-order mark of UTF-8. Throws
/// DataError for anything but valid UTF-8 then.
std::string text_of_bytes(std::string_view bytes);

/// Converts UTF-16 with a byte-order mark piece by piece.
class Utf16Decoder {
 public:
  /// The UTF-8 of the next bytes; incomplete characters wait for the next call. What is no UTF-16
  /// becomes U+FFFD.
  std::string decode(std::string_view bytes);

 private:
  std::string pending_;
  std::optional<bool> big_endian_;
};

/// The bytes of a plain or gzip file in pieces, unpacked, at most `limit`. Throws
/// DocumentTooLargeError for a longer file, DataError for a damaged one; `path` does not appear in
/// them.
void read_unpacked(const std::string& path, uint64_t limit,
                   const std::function<void(std::string_view)>& piece);

}  // namespace dietmt::service
