// Writes result lines to standard output, or to a file that appears only when it is complete.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/atomic_file.h"
#include "common/deflater.h"

namespace dietmt::nmt {

/// False for standard output ("-", "/dev/stdout") and for files that must not be replaced
/// (common/files.h); these are written directly.
bool is_file_output(const std::string& path);

/// Writes a regular file under a temporary name in the same directory and renames it in commit();
/// for a link, next to its target. Writes standard output, pipes and devices directly. NAME.gz is
/// compressed, but its NAME.gz.part is not, so that it can be continued after any line. The first
/// writer makes the whole process ignore SIGPIPE.
class LineWriter {
 public:
  /// `path`: a file, or "-" for standard output. Throws Error if it cannot be opened, or if another
  /// process is writing the same NAME.part.
  explicit LineWriter(const std::string& path, Unfinished unfinished = Unfinished::kRemoved);

  /// The number of complete lines in NAME.part, left by an earlier writer.
  int64_t lines_left();

  /// Continues after the first `lines` of them. Call it before the first write().
  void keep(int64_t lines);

  /// Writes `line` and a line feed. Returns false if the pipe's reader is gone. Throws Error with
  /// the path and the system's reason.
  bool write(std::string_view line);

  /// Passes on everything written so far. Returns false like write().
  bool flush();

  /// Call it after the last line: gives the file its name.
  void commit();

 private:
  void write_directly(std::string_view bytes);
  void compress_into_place();

  std::string path_;
  std::optional<Deflater> deflater_;
  bool compressed_at_commit_ = false;
  std::optional<AtomicFile> atomic_;
  FileDescriptor direct_;  // standard output, a pipe or a device
  bool closed_by_reader_ = false;
  std::string buffer_;
};

}  // namespace dietmt::nmt
