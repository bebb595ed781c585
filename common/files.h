// Whole files. common/atomic_file.h writes files piece by piece, and directories.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace dietmt {

/// An open file or socket, closed when its owner is destroyed.
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

/// Reads a whole file. Throws Error with the path.
std::string read_file(const std::filesystem::path& path);

/// True if a file may replace `path`, or if nothing exists there. False for pipes, directories,
/// devices and everything in /dev and /proc, such as /dev/stdout.
bool may_be_replaced(const std::filesystem::path& path);

/// The target of a link, or `path` if it is not a link. A rename would replace the link itself.
std::filesystem::path behind_links(const std::filesystem::path& path);

/// Whether two names refer to the same file, which need not exist.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Replaces the file's content. A reader sees either the old or the new bytes, even after a crash.
/// On failure, such as a full disk, throws Error with the path and the system's reason and leaves
/// the old file intact. Refuses a path that is not a regular file; follows a link.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Removes files and directories named temporary_name(`path`), unless a live process holds their
/// lock.
void remove_leftovers(const std::filesystem::path& path);

/// Warns if `path` is a regular file that every user of the machine can read.
void warn_if_world_readable(const std::filesystem::path& path);

/// The directory of `path`; "." if it has none.
std::filesystem::path parent_directory(const std::filesystem::path& path);

/// Syncs a file or a directory. Throws Error with the path.
void sync_to_disk(const std::filesystem::path& path);

/// The file that lists name, size and CRC-32 of each file in a directory (AtomicDirectory in
/// common/atomic_file.h).
constexpr const char* kManifestFile = "manifest.json";

/// Checks a directory against its manifest. Returns the problem, or "" if it is complete.
std::string manifest_problem(const std::filesystem::path& directory);

/// Throws CheckpointError if the file differs from the manifest.json in its directory. Files not
/// listed in a manifest are accepted.
void require_intact(const std::filesystem::path& file);

/// CRC-32 (zlib) of `bytes`, continuing the checksum `before`.
uint32_t crc32_of(std::string_view bytes, uint32_t before = 0);

/// CRC-32 of a file.
uint32_t file_crc32(const std::filesystem::path& path);

/// A log file to which several processes may append whole records.
class AppendFile {
 public:
  /// Opens or creates the file. Throws Error with the path and the system's reason.
  explicit AppendFile(std::filesystem::path path);

  /// Throws Error if the disk is full. No part of the record stays in the file, so that later
  /// records can be read.
  void append(std::string_view record);

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

/// A file mapped read-only; processes that map the same file share its pages.
class MappedFile {
 public:
  /// Throws Error with the path and the system's reason. The file must be regular.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

  /// Copies bytes without making mapped pages resident. Throws Error if the file was cut short.
  void read(uint64_t offset, char* to, size_t count) const;

  /// Turns off read-ahead.
  void expect_random_access() const;

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace dietmt
