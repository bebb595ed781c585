// Reads lines of text: plain or compressed (recognised by content, not by name), or `-`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt {

/// Longest line of text that is translated, scored or trained on, in bytes.
inline constexpr size_t kMaxLineBytes = 1 << 20;

/// What happens to a line that is too long.
enum class LongLines { kRefused, kCut };

/// Reads lines that end in LF; the last one may lack it. Other control characters and Unicode line
/// separators are ordinary characters. A trailing CR is kept. A line from a pipe is returned as
/// soon as it is complete.
class LineReader {
 public:
  /// `path`: a plain or compressed file, or "-" (standard input). Throws DataError if it cannot be
  /// opened. A line of more than `max_bytes` is an error like one that cannot be read, or is cut
  /// between two characters; its rest is never held in memory.
  explicit LineReader(const std::string& path, size_t max_bytes = std::string::npos,
                      LongLines long_lines = LongLines::kRefused);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  /// False at the end. Throws DataError if reading or decompressing fails, or if it is no text.
  bool next(std::string& line);

  /// False if the last line of next() ends the file without LF.
  bool ended_in_lf() const;

  /// Bytes that were cut off the last line of next().
  size_t bytes_cut() const;

  /// Number of the last line of next(), from 1.
  int64_t line_number() const;

  /// "path:line" of that line, for messages.
  std::string where() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Warns, with the line's number, if the last line that `reader` gave was cut.
void warn_if_cut(const LineReader& reader, const std::string& line);

/// All lines of a file. Cuts those of more than `max_bytes` and warns of them.
std::vector<std::string> read_lines(const std::string& path, size_t max_bytes = std::string::npos);

/// The length of the longest start of at most `bytes` bytes that ends between two characters;
/// `text` is longer than `bytes`.
size_t cut_length(std::string_view text, size_t bytes);

/// Byte offset of the first byte that is not part of well-formed UTF-8, or npos.
size_t invalid_utf8_at(std::string_view text);

/// `text` with each ill-formed sequence replaced by U+FFFD (its maximal subparts one by one, as
/// Unicode recommends in section 3.9).
std::string replace_invalid_utf8(std::string_view text);

}  // namespace dietmt
