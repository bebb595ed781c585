// A file without a name, which disappears with this process, however that ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "common/files.h"

namespace dietmt::service {

/// Movable. Members throw std::system_error with the system's reason.
class NamelessFile {
 public:
  /// No file yet.
  NamelessFile() = default;
  /// An empty one on the disk of `directory`.
  explicit NamelessFile(const std::filesystem::path& directory);

  bool exists() const { return file_.valid(); }

  void write(uint64_t offset, std::string_view bytes);

  /// Copies up to `count` bytes from `offset` on; fewer at the end.
  size_t read(uint64_t offset, char* to, size_t count) const;

  /// A path under which this process can open the file to read it.
  std::string path() const;

 private:
  FileDescriptor file_;
};

/// True if the disk or this process's quota is full.
bool is_disk_full(const std::system_error& error);

}  // namespace dietmt::service
