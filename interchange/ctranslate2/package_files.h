// The files of a model: those of a directory, or of the one directory in a ZIP archive, which is
// read where it is.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/files.h"
#include "interchange/zip/zip_archive.h"

namespace dietmt::interchange {

class PackageFiles {
 public:
  /// Throws Error or CheckpointError naming the archive.
  explicit PackageFiles(std::filesystem::path path);

  bool contains(const std::string& name) const;

  /// Valid as long as this object. Throws CheckpointError naming a file that is missing, damaged,
  /// or that unpacks to more than the weights and vocabularies of a model do.
  std::string_view bytes(const std::string& name);

  /// The name of a file in messages.
  std::string where(const std::string& name) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  const ZipEntry* entry(const std::string& name) const;
  std::string unpacked(const std::string& name) const;

  std::filesystem::path path_;
  std::unique_ptr<MappedFile> mapped_;  // null for a directory
  std::unique_ptr<ZipArchive> archive_;
  std::string prefix_;  // of the names in the archive
  std::map<std::string, MappedFile> files_;
  std::map<std::string, std::string> unpacked_;
};

}  // namespace dietmt::interchange
