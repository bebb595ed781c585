// A directory for files that are needed only while a program works.
#pragma once

#include <filesystem>
#include <string>

namespace dietmt {

/// Removed with its contents when its owner is destroyed.
class TemporaryDirectory {
 public:
  /// Creates a directory whose name begins with `prefix`. Throws Error.
  explicit TemporaryDirectory(
      const std::filesystem::path& prefix = std::filesystem::temp_directory_path() / "dietmt-");
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace dietmt
