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
/// (common/files.h): these are written directly.
bool is_file_output(const std::string& path);

/// A regular file is written beside its final name and renamed by commit(); for a link, beside the
/// file that it points to. Standard output, pipes and devices are written directly. NAME.gz is
/// compressed; its NAME.gz.part is not, so that it can be continued after any line. The first
/// writer makes the whole process ignore SIGPIPE.
class LineWriter {
 public:
  /// `path`: a file, or "-" for standard output. Throws Error if it cannot be opened, or if another
  /// process is writing the same NAME.part.
  explicit LineWriter(const std::string& path, Unfinished unfinished = Unfinished::kRemoved);

  /// The number of whole lines in the NAME.part of an earlier writer.
  int64_t lines_left();

  /// Continues after the first `lines` of them. Call it before the first write().
  void keep(int64_t lines);

  /// Adds `line` and a line feed. Returns false if the reader of the pipe has gone. Throws Error,
  /// which names the path and the system's reason.
  bool write(std::string_view line);

  /// Hands on everything written so far. Returns false as write() does.
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
  FileDescriptor direct_;  // of standard output, a pipe or a device
  bool closed_by_reader_ = false;
  std::string buffer_;
};

}  // namespace dietmt::nmt
