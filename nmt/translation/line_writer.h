// Writes result lines to standard output, or to a file that is whole or absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/atomic_file.h"

namespace dietmt::nmt {

/// Not so: standard output ("-", "/dev/stdout"), and what may not be replaced (common/files.h),
/// which are written directly.
bool is_file_output(const std::string& path);

/// A regular file is written beside its final name, that of a link beside the file that it leads
/// to, and renamed by commit(). Standard output, pipes and devices are written directly. Ignores
/// SIGPIPE from the first writer on, for the whole process.
class LineWriter {
 public:
  /// `path`: a file, or "-" for standard output. Throws Error if it cannot be opened, or if another
  /// process is writing its part.
  explicit LineWriter(const std::string& path, Unfinished unfinished = Unfinished::kRemoved);

  /// Whole lines of the part that an earlier writer has left.
  int64_t lines_left();

  /// Goes on after the first `lines` of them. To be called before the first write().
  void keep(int64_t lines);

  /// Adds `line` and a line feed. False once the reader of the pipe has gone: nothing more is
  /// wanted. Throws Error naming the path and the system's reason.
  bool write(std::string_view line);

  /// Hands on what has been written so far. False as above.
  bool flush();

  /// After the last line: gives a file its name.
  void commit();

 private:
  std::string path_;
  std::optional<AtomicFile> atomic_;
  FileDescriptor direct_;  // of standard output, a pipe or a device
  bool closed_by_reader_ = false;
  std::string buffer_;
};

}  // namespace dietmt::nmt
