// The ZIP archive of an office document, in memory.
#pragma once

#include <zip.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

class ZipPackage {
 public:
  /// Throws DataError for what is no ZIP archive, has encrypted, repeated or too many parts, or a
  /// name that leads out of a folder.
  explicit ZipPackage(std::string_view bytes);

  const std::vector<std::string>& names() const { return names_; }

  /// The unpacked part. Throws DocumentTooLargeError if it has more than `limit` bytes, DataError
  /// if it is damaged.
  std::string read(const std::string& name, size_t limit) const;
  /// The part keeps its time, so that the same replacement always gives the same archive.
  void replace(const std::string& name, const std::string& content);

  /// The archive with the replaced parts; the others stay as they were packed. Call it once, last.
  std::string packed();

 private:
  [[noreturn]] void damaged() const;

  std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> source_;
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive_;
  std::vector<std::string> names_;
};

}  // namespace dietmt::service
