// The entries of a ZIP archive in memory, stored or deflated (libzip).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct zip;

namespace dietmt::interchange {

struct ZipEntry {
  std::string name;
  uint64_t index = 0;
  uint64_t size = 0;    // of the unpacked bytes, as declared
  uint64_t packed = 0;  // bytes in the archive, as declared
  bool stored = false;  // uncompressed
  bool deflated = false;
};

class ZipArchive {
 public:
  /// `bytes` must outlive the archive. Throws CheckpointError with the reason if they are not an
  /// archive.
  explicit ZipArchive(std::string_view bytes);

  const std::vector<ZipEntry>& entries() const { return entries_; }

  /// The unpacked bytes, verified with their checksum. Never allocates more than a deflated entry
  /// of this archive can hold. Throws CheckpointError with the reason, without the entry's name.
  std::string read(const ZipEntry& entry) const;

 private:
  std::string_view bytes_;
  std::unique_ptr<zip, void (*)(zip*)> archive_;
  std::vector<ZipEntry> entries_;
};

}  // namespace dietmt::interchange
