// Whole files. common/atomic_file.h writes files piece by piece, and directories.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace dietmt {

/// An open file or socket that is closed with its owner.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() {
    if (valid()) ::close(number_);
  }

  bool valid() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_ = -1;
};

/// The bytes of a file. Throws Error naming the path.
std::string read_file(const std::filesystem::path& path);

/// False for pipes, directories, devices and everything in /dev and /proc, such as /dev/stdout,
/// which a file must not replace. True if `path` does not exist.
bool may_be_replaced(const std::filesystem::path& path);

/// The file behind a link, or `path` if it is not a link. A rename would replace the link itself.
std::filesystem::path behind_links(const std::filesystem::path& path);

/// Whether two names mean the same file, which need not exist.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Replaces the file by `content` so that a reader, even after a crash, sees either the old bytes
/// or the new ones. Throws Error with the path and the system's reason, e.g. a full disk; the old
/// file is then intact. Refuses a path that is not a regular file; follows a link.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Removes what has a temporary_name() of `path` unless a living process holds its lock.
void remove_leftovers(const std::filesystem::path& path);

/// Logs a warning, with what to do, if `path` is a regular file that every user of the machine can
/// read.
void warn_if_world_readable(const std::filesystem::path& path);

/// The directory of `path`; "." if it names none.
std::filesystem::path parent_directory(const std::filesystem::path& path);

/// Syncs a file or a directory. Throws Error naming the path.
void sync_to_disk(const std::filesystem::path& path);

/// The file of a directory with the name, size and CRC-32 of each of its files
/// (AtomicDirectory in common/atomic_file.h).
constexpr const char* kManifestFile = "manifest.json";

/// Checks a directory against its manifest. Returns the problem, or an
/// empty string if it is complete.
std::string manifest_problem(const std::filesystem::path& directory);

/// Throws CheckpointError if the file differs from the manifest.json beside it. A file that no
/// manifest lists is accepted.
void require_intact(const std::filesystem::path& file);

/// CRC-32 (zlib) of bytes that follow others, whose checksum is `before`.
uint32_t crc32_of(std::string_view bytes, uint32_t before = 0);

/// CRC-32 of a file's bytes.
uint32_t file_crc32(const std::filesystem::path& path);

/// A file to which complete records are appended, also by several processes.
class AppendFile {
 public:
  /// Opens or creates the file. Throws Error with the path and the system's reason.
  explicit AppendFile(std::filesystem::path path);

  /// Throws Error if the record does not fit on the disk. The file then holds no part of it, so
  /// that later records can be read.
  void append(std::string_view record);

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

/// A file mapped into memory, read-only; processes that map the same file share its pages.
class MappedFile {
 public:
  /// Throws Error with the path and the system's reason. Only regular files can be mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

  /// Copies bytes without making mapped pages resident. Throws Error if the file has become too
  /// short.
  void read(uint64_t offset, char* to, size_t count) const;

  /// Turns off reading ahead.
  void expect_random_access() const;

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace dietmt
