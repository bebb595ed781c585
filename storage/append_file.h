// A file to which complete records are appended.
#pragma once

#include <filesystem>
#include <string_view>

#include "common/file_descriptor.h"

namespace dietmt::storage {

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

}  // namespace dietmt::storage
