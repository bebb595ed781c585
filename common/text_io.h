// Reads lines of text: plain, gzip (detected by content, not by name) or `-`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt {

/// Reads lines that end in LF; the last one may lack it. Other control characters and Unicode line
/// separators are ordinary characters. A trailing CR is kept. A line from a pipe is returned as
/// soon as it is complete.
class LineReader {
 public:
  /// `path`: a plain or gzip file, or "-" for standard input. Throws DataError if it cannot be
  /// opened. A line of more than `max_bytes` is an error like one that cannot be read.
  explicit LineReader(const std::string& path, size_t max_bytes = std::string::npos);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  /// False at the end. Throws DataError (path:line) if reading or decompressing fails.
  bool next(std::string& line);

  /// False if the last line of next() ends the file without LF.
  bool ended_in_lf() const;

  /// Number of the last line of next(), from 1.
  int64_t line_number() const;

  /// "path:line" of that line, for messages.
  std::string where() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// All lines of a file.
std::vector<std::string> read_lines(const std::string& path);

/// Byte offset of the first byte that is not part of well-formed UTF-8, or npos.
size_t invalid_utf8_at(std::string_view text);

/// `text` with each ill-formed sequence replaced by U+FFFD (its maximal subparts one by one, as
/// Unicode recommends in section 3.9).
std::string replace_invalid_utf8(std::string_view text);

}  // namespace dietmt
