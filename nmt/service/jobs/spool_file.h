// Bytes on their way in: a file without a name, which is gone with this process however it ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace dietmt::service {

class SpoolFile {
 public:
  /// On the disk of `directory`. Throws StorageFullError or Error, as append() does.
  explicit SpoolFile(const std::filesystem::path& directory);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  void append(std::string_view bytes);

  /// Under which this process can open the file to read it from its start.
  std::string path() const;
  /// True if the first bytes are those of gzip.
  bool is_gzip() const;

 private:
  int fd_ = -1;
};

}  // namespace dietmt::service
