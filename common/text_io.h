// Reads lines from plain or compressed files (recognised by content, not by name), or from `-`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt {

/// Longest line, in bytes, that is translated, scored or trained on.
inline constexpr size_t kMaxLineBytes = 1 << 20;

/// What happens to an overlong line.
enum class LongLines { kRefused, kCut };

/// Reads lines that end in LF; the last one may lack it. Other control characters and Unicode line
/// separators are ordinary characters, and a trailing CR is kept. Lines from a pipe are returned as
/// soon as they are complete.
class LineReader {
 public:
  /// `path`: a plain or compressed file, or "-" (standard input). Throws DataError if it cannot be
  /// opened. A line over `max_bytes` is an error, or is cut between two characters; the rest is
  /// never held in memory.
  explicit LineReader(const std::string& path, size_t max_bytes = std::string::npos,
                      LongLines long_lines = LongLines::kRefused);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  /// Returns false at the end. Throws DataError if reading or decompressing fails, or if it is not
  /// text.
  bool next(std::string& line);

  /// False if the last line returned by next() ended the file without LF.
  bool ended_in_lf() const;

  /// Bytes cut off the last line returned by next().
  size_t bytes_cut() const;

  /// Number of the last line returned by next(), from 1.
  int64_t line_number() const;

  /// Counts a line that is not as it should be: how many there were, with this one.
  int64_t count_fault();

  /// "path:line" of that line, for messages.
  std::string where() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Warns, with the line number, if the last line from `reader` was cut.
void warn_if_cut(const LineReader& reader, const std::string& line);

/// All lines of a file. Cuts those over `max_bytes` and warns about them.
std::vector<std::string> read_lines(const std::string& path, size_t max_bytes = std::string::npos);

/// Length of the longest prefix of at most `bytes` bytes that ends between two characters; `text`
/// is longer than that.
size_t cut_length(std::string_view text, size_t bytes);

/// Byte offset of the first ill-formed UTF-8, or npos.
size_t invalid_utf8_at(std::string_view text);

/// Replaces each ill-formed sequence with U+FFFD (maximal subparts one by one, as Unicode
/// recommends in section 3.9).
std::string replace_invalid_utf8(std::string_view text);

/// What no line of text has: ill-formed UTF-8 and NUL, which tokenizers take for other characters.
/// Byte offset of the first one, or npos.
size_t unreadable_at(std::string_view line);

/// "not UTF-8 at byte 3" or "has a NUL at byte 3" of the offset that unreadable_at() returned.
std::string unreadable_problem(std::string_view line, size_t at);

/// replace_invalid_utf8(), and NUL too. Nearly all lines have nothing to replace, and come back as
/// they are.
std::string replace_unreadable(std::string line);

}  // namespace dietmt
