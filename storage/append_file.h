// A file to which records are appended whole.
#pragma once

#include <filesystem>
#include <string_view>

namespace dietmt::storage {

class AppendFile {
 public:
  /// Opens the file, or makes it. Throws Error with the path and the system's reason.
  explicit AppendFile(std::filesystem::path path);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// Throws Error where the record does not fit on the disk: nothing of it is in the file then, so
  /// that later ones can be read.
  void append(std::string_view record);

 private:
  std::filesystem::path path_;
  int file_;
};

}  // namespace dietmt::storage
