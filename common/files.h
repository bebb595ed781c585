// Whole files and directories. common/atomic_file.h writes a file piece by piece.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace dietmt {

/// The bytes of a file. Throws Error naming the path.
std::string read_file(const std::filesystem::path& path);

/// False of pipes, directories, devices and all else below /dev and /proc, such as /dev/stdout:
/// what must not be replaced by a file. True of what does not exist.
bool may_be_replaced(const std::filesystem::path& path);

/// The file that a link leads to, which a rename would replace by itself; else `path`.
std::filesystem::path behind_links(const std::filesystem::path& path);

/// True of two names of one file, which may be missing yet.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Replaces `path` by `content` so that a reader, or a crash at any instant, sees the old bytes or
/// the new ones. Throws Error naming the path and the system's reason (a full disk, ...); what was
/// there before is intact then. What may not be replaced is refused; a link stays one.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// The directory that holds `path`; "." if it has no other.
std::filesystem::path parent_directory(const std::filesystem::path& path);

/// Syncs a file or a directory. Throws Error naming the path.
void sync_to_disk(const std::filesystem::path& path);

/// A directory that appears under its final name only when complete: files are written into a
/// temporary sibling; commit() writes `manifest.json` (name, size and CRC-32 of each file), fsyncs
/// and renames. Without commit() the destructor removes the temporary directory.
class AtomicDirectory {
 public:
  explicit AtomicDirectory(std::filesystem::path final_path);
  ~AtomicDirectory();
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;

  /// Where to write the files.
  const std::filesystem::path& path() const { return temporary_; }

  /// A directory of the final name that exists already is replaced.
  void commit();

 private:
  std::filesystem::path final_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

/// Checks a directory written by AtomicDirectory against its manifest. Returns an empty string if
/// it is whole, else what is wrong with it.
std::string manifest_problem(const std::filesystem::path& directory);

/// CRC-32 of a file's bytes (zlib).
uint32_t file_crc32(const std::filesystem::path& path);

}  // namespace dietmt
