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
  /// An archive without parts.
  ZipPackage();

  /// Throws DataError if it is not a ZIP archive, has encrypted, repeated or too many parts, or has
  /// a name that leads out of its folder.
  explicit ZipPackage(std::string_view bytes);

  const std::vector<std::string>& names() const { return names_; }

  /// Unpacks a part. Throws DocumentTooLargeError if it has more than `limit` bytes, and DataError
  /// if it is damaged.
  std::string read(const std::string& name, size_t limit) const;
  /// The part keeps its time, so that the same replacement always gives the same archive.
  void replace(const std::string& name, const std::string& content);

  /// Adds a part, always with the same time.
  void add(const std::string& name, const std::string& content);

  /// The archive with the replaced parts; the others stay packed as they were. Call it once, last.
  std::string packed();

 private:
  void open(int flags);
  [[noreturn]] void damaged() const;

  std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> source_;
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive_;
  std::vector<std::string> names_;
};

}  // namespace dietmt::service
