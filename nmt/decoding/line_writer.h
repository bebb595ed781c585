// Writes result lines to standard output, or to a file that is whole or absent.
#pragma once

#include <string>
#include <string_view>

namespace dietmt::nmt {

/// A regular file is written beside its final name and renamed by commit(). Standard output, pipes
/// and devices are written directly. Ignores SIGPIPE from the first writer on, for the whole
/// process.
class LineWriter {
 public:
  /// `path`: a file, or "-" for standard output. Throws Error if it cannot be opened.
  explicit LineWriter(const std::string& path);
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  /// Adds `line` and a line feed. False once the reader of the pipe has gone: nothing more is
  /// wanted. Throws Error naming the path and the system's reason.
  bool write(std::string_view line);

  /// Hands on what has been written so far. False as above.
  bool flush();

  /// After the last line: gives a file its name.
  void commit();

 private:
  std::string path_;
  std::string temporary_;  // empty if written directly
  int file_ = -1;
  bool closed_by_reader_ = false;
  std::string buffer_;
};

}  // namespace dietmt::nmt
