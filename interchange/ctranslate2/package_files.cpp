#include "interchange/ctranslate2/package_files.h"

#include <algorithm>

#include "common/error.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

// The directory that all entries are in, "" if they are in several or in none.
std::string common_directory(const std::vector<ZipEntry>& entries) {
  std::string directory;
  for (const ZipEntry& entry : entries) {
    const size_t slash = entry.name.find('/');
    if (slash == std::string::npos) return "";
    const std::string first = entry.name.substr(0, slash + 1);
    if (!directory.empty() && directory != first) return "";
    directory = first;
  }
  return directory;
}

void require_plausible_size(const ZipEntry& entry) {
  constexpr uint64_t kAlwaysPossible = 64 << 20, kMostRatio = 50;
  if (entry.size > kAlwaysPossible && entry.size / std::max<uint64_t>(entry.packed, 1) > kMostRatio)
    throw CheckpointError("unpacks to " + std::to_string(entry.size) + " bytes, over " +
                          std::to_string(kMostRatio) +
                          " times its size, as no file of a model does");
}

}  // namespace

PackageFiles::PackageFiles(fs::path path) : path_(std::move(path)) {
  if (fs::is_directory(path_)) return;
  mapped_ = std::make_unique<MappedFile>(path_);
  try {
    archive_ = std::make_unique<ZipArchive>(mapped_->bytes());
  } catch (const CheckpointError& error) {
    throw CheckpointError(path_.string() + ": " + error.what());
  }
  prefix_ = common_directory(archive_->entries());
}

const ZipEntry* PackageFiles::entry(const std::string& name) const {
  const auto& entries = archive_->entries();
  const auto found = std::ranges::find(entries, prefix_ + name, &ZipEntry::name);
  return found == entries.end() ? nullptr : &*found;
}

bool PackageFiles::contains(const std::string& name) const {
  return archive_ ? entry(name) != nullptr : fs::is_regular_file(path_ / name);
}

std::string PackageFiles::where(const std::string& name) const {
  return archive_ ? path_.string() + ", " + prefix_ + name : (path_ / name).string();
}

std::string PackageFiles::unpacked(const std::string& name) const {
  try {
    require_plausible_size(*entry(name));
    return archive_->read(*entry(name));
  } catch (const CheckpointError& error) {
    throw CheckpointError(where(name) + ": " + error.what());
  }
}

std::string_view PackageFiles::bytes(const std::string& name) {
  if (!contains(name))
    throw CheckpointError(path_.string() + ": has no " + (archive_ ? prefix_ : "") + name);
  if (!archive_) return files_.try_emplace(name, path_ / name).first->second.bytes();
  if (!unpacked_.contains(name)) unpacked_[name] = unpacked(name);
  return unpacked_.at(name);
}

}  // namespace dietmt::interchange
