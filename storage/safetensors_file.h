// The files below the safetensors format: one mapped for reading, one written beside its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace dietmt::storage {

/// A file mapped into memory. Throws CheckpointError naming the path.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  uint64_t size_ = 0;
};

/// A file that appears under its name only when finish() has synced it; else it is removed. Every
/// step that fails throws CheckpointError with the path and the system's reason.
class PendingFile {
 public:
  explicit PendingFile(const std::filesystem::path& path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  void write(const void* data, uint64_t size);
  void finish();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int file_ = -1;
  bool finished_ = false;
};

}  // namespace dietmt::storage
