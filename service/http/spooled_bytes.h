// Bytes that wait for their reader, such as a request's body before its handler runs. A few are
// kept in memory, more in an unnamed file.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "common/files.h"

namespace dietmt::service {

/// A file without a name, which disappears with this process, however that ends. Movable. Members
/// throw std::system_error with the system's reason.
class NamelessFile {
 public:
  /// No file yet.
  NamelessFile() = default;
  /// An empty one on the disk of `directory`.
  explicit NamelessFile(const std::filesystem::path& directory);

  bool exists() const { return file_.valid(); }

  void write(uint64_t offset, std::string_view bytes);

  void truncate(uint64_t size);

  /// Copies up to `count` bytes starting at `offset`; fewer at the end.
  size_t read(uint64_t offset, char* to, size_t count) const;

  /// A path for this process to open the file for reading.
  std::string path() const;

 private:
  FileDescriptor file_;
};

/// True if the disk or this process's quota is full.
bool is_disk_full(const std::system_error& error);

/// Limits for all SpooledBytes of a server.
struct SpoolBudget {
  uint64_t one_memory = 0;  // each
  uint64_t all_memory = 0;
  uint64_t all_disk = 0;
  std::filesystem::path directory = {};

  std::atomic<uint64_t> memory_used = 0;
  std::atomic<uint64_t> disk_used = 0;
};

class SpooledBytes {
 public:
  /// `budget` must outlive the object.
  explicit SpooledBytes(SpoolBudget& budget) : budget_(budget) {}
  ~SpooledBytes();
  SpooledBytes(const SpooledBytes&) = delete;
  SpooledBytes& operator=(const SpooledBytes&) = delete;

  /// Forbids the file.
  void stay_in_memory() { memory_only_ = true; }

  /// Throws RequestFault: 503 if the budget is used up, 507 if the disk is full, 401 if the bytes
  /// need a file after stay_in_memory().
  void append(std::string_view bytes);

  /// Moves the bytes to a file if they are in memory. Throws like append().
  void move_to_file();

  // These need in_file().
  void overwrite(uint64_t offset, std::string_view bytes) { file_.write(offset, bytes); }
  /// Frees the space of the bytes from `size` on.
  void truncate(uint64_t size);

  uint64_t size() const { return size_; }
  bool in_file() const { return file_.exists(); }
  /// The file, if in_file().
  const NamelessFile& file() const { return file_; }

  /// Copies up to `count` bytes starting at `offset`; fewer at the end. Throws std::system_error if
  /// the file cannot be read.
  size_t read(uint64_t offset, char* to, size_t count) const;

 private:
  void write_to_file(std::string_view bytes);

  SpoolBudget& budget_;
  std::string memory_;
  NamelessFile file_;
  uint64_t size_ = 0;
  bool memory_only_ = false;
};

}  // namespace dietmt::service
