// A file mapped into memory, read-only; processes that map the same file share its pages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "common/files.h"

namespace dietmt {

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
