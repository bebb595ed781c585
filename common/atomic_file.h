// Files written piece by piece, and directories, that appear under their name only when complete.
//
//   AtomicFile file("corpus.bin");
//   file.write(bytes);  // any number of times
//   file.commit();      // without it, the destructor removes what was written
//
// common/files.h writes a whole file in one call.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/files.h"

namespace dietmt {

/// The name of an unfinished file that this process will rename to `path`: NAME.dietmt-tmp and the
/// process id.
std::filesystem::path temporary_name(const std::filesystem::path& path);

/// True if temporary_name(`of`) returns `name` in some process.
bool is_temporary_name(std::string_view name, std::string_view of);

/// Buffers writes to an open file. Every failure, such as a full disk, throws Error with the final
/// path and the system's reason.
class OutputFile {
 public:
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);

  /// Writes the bytes of a number or a plain struct.
  template <typename Value>
  void write_value(const Value& value) {
    write({reinterpret_cast<const char*>(&value), sizeof value});
  }

  /// Appends everything that `other` holds.
  void append(OutputFile& other);

  void flush();

 protected:
  OutputFile() = default;
  ~OutputFile() = default;
  [[noreturn]] void fail(const char* action) const;

  std::filesystem::path path_;  // of the finished file
  FileDescriptor file_;

 private:
  void write_through(std::string_view bytes);

  std::string buffer_;
};

/// A file without a name next to `path`. It vanishes with this object, even if the process is
/// killed.
class UnnamedFile : public OutputFile {
 public:
  explicit UnnamedFile(const std::filesystem::path& path);
};

/// What happens to a file that is not committed.
enum class Unfinished {
  kRemoved,
  kKept  // what was flushed stays as NAME.part, which the next writer continues
};

/// Replaces or creates a regular file; follows a link and replaces its target. The file has no name
/// until commit(), so a killed process leaves nothing. File systems without O_TMPFILE (NFS, macOS)
/// use temporary_name(); the next writer removes that file unless the first one is alive and holds
/// its lock. Keeps the permissions of the file that it replaces.
class AtomicFile : public OutputFile {
 public:
  /// Also throws Error if another process is writing the same NAME.part.
  explicit AtomicFile(const std::filesystem::path& path,
                      Unfinished unfinished = Unfinished::kRemoved);
  ~AtomicFile();

  /// Overwrites bytes already written, e.g. a header known only at the end.
  void overwrite(uint64_t offset, std::string_view bytes);

  /// Copies up to `count` bytes starting at `offset`; fewer at the end of the file.
  size_t read(uint64_t offset, char* to, size_t count);

  /// Cuts the file to its first `size` bytes and continues from there.
  void truncate(uint64_t size);

  /// Syncs the file and gives it its name.
  void commit();

  /// Removes what was written, even with kKept.
  void discard();

 private:
  std::filesystem::path temporary_;
  Unfinished unfinished_;
  bool committed_ = false;
};

/// A directory that appears under its final name only when it is complete. Files go into a
/// temporary directory next to it; commit() writes `manifest.json` (name, size and CRC-32 of each
/// file), syncs and renames. Without commit() the destructor removes the temporary directory; if
/// the process is killed, the next writer does.
class AtomicDirectory {
 public:
  explicit AtomicDirectory(const std::filesystem::path& final_path);
  ~AtomicDirectory();
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;

  const std::filesystem::path& path() const { return temporary_; }

  /// Throws Error if the final name is a directory with files, which cannot be replaced safely.
  void commit();

 private:
  std::filesystem::path final_;
  std::filesystem::path temporary_;
  FileDescriptor lock_;  // on the temporary directory
  bool committed_ = false;
};

}  // namespace dietmt
