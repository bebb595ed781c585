#include "common/files.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/json_fields.h"
#include "common/system.h"

namespace dietmt {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw Error(path.string() + ": cannot " + what + ": " + std::strerror(errno));
}

void read_blocks(const fs::path& path, const std::function<void(std::string_view)>& take) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(path.string() + ": cannot be opened: " + std::strerror(errno));
  std::vector<char> block(1 << 20);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0)
    take({block.data(), static_cast<size_t>(file.gcount())});
  if (file.bad()) throw Error(path.string() + ": cannot be read: " + std::strerror(errno));
}

// Compares a file with its entry in the manifest; returns the difference, or "".
std::string problem_of_file(const fs::path& path, const nlohmann::json& expected) {
  int64_t size = 0, crc32 = 0;
  read_field(expected, "size", size);
  read_field(expected, "crc32", crc32);
  if (!fs::exists(path)) return path.string() + " is missing";
  if (static_cast<int64_t>(fs::file_size(path)) != size)
    return path.string() + " differs in size from its manifest";
  if (file_crc32(path) != crc32) return path.string() + " differs in checksum from its manifest";
  return "";
}

// The first problem among the manifest's files whose names satisfy is_asked.
std::string problem_of_files(const fs::path& directory,
                             const std::function<bool(const std::string&)>& is_asked) {
  try {
    return read_json_as(directory / kManifestFile, [&](const nlohmann::json& manifest) {
      const nlohmann::json& files = object_field(manifest, "files");
      for (const auto& [name, unused] : files.items()) {
        if (!is_asked(name)) continue;
        try {
          std::string problem = problem_of_file(directory / name, object_field(files, name));
          if (!problem.empty()) return problem;
        } catch (const CheckpointError& error) {
          throw CheckpointError(name + ": " + error.what());
        }
      }
      return std::string();
    });
  } catch (const std::exception& error) {
    return error.what();
  }
}

[[noreturn]] void cannot_map(const std::filesystem::path& path, const std::string& action,
                             const char* reason) {
  throw Error(path.string() + ": cannot be " + action + ": " + reason);
}

}  // namespace

void warn_if_world_readable(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_regular_file(status) &&
      (status.permissions() & fs::perms::others_read) != fs::perms::none)
    spdlog::warn("{}: every user of this machine can read the keys; chmod 640", path.string());
}

fs::path parent_directory(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void sync_to_disk(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) fail(path, "be opened");
  if (::fsync(file.number()) != 0) fail(path, "be synced to disk");
}

std::string read_file(const fs::path& path) {
  std::string content;
  read_blocks(path, [&](std::string_view block) { content += block; });
  return content;
}

bool may_be_replaced(const fs::path& path) {
  std::error_code ignored;
  const std::string name = path.string();
  if (name.starts_with("/dev/") || name.starts_with("/proc/")) return false;
  return !fs::exists(path, ignored) || fs::is_regular_file(path, ignored);
}

fs::path behind_links(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as in Linux
  std::error_code ignored;
  fs::path found = path;
  for (int links = 0; links < kMostLinks && fs::is_symlink(found, ignored); ++links)
    found = parent_directory(found) / fs::read_symlink(found, ignored);
  return found;
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  // weakly_canonical() leaves a relative path relative if no part of it exists.
  const auto canonical = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path, error), error);
  };
  const fs::path first = canonical(a);
  return !error && first == canonical(b) && !error;
}

void remove_leftovers(const fs::path& path) {
  const std::string name = path.filename();
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent_directory(path), ignored)) {
    const std::string other = entry.path().filename();
    const bool may_be_opened = entry.is_regular_file(ignored) || entry.is_directory(ignored);
    if (!is_temporary_name(other, name) || !may_be_opened) continue;
    const FileDescriptor file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (file.valid() && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0)
      fs::remove_all(entry.path(), ignored);
  }
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

std::string manifest_problem(const fs::path& directory) {
  if (!fs::exists(directory / kManifestFile))
    return (directory / kManifestFile).string() + " is missing";
  return problem_of_files(directory, [](const std::string&) { return true; });
}

void require_intact(const fs::path& file) {
  if (!fs::exists(parent_directory(file) / kManifestFile)) return;
  const std::string name = file.filename();
  const std::string problem =
      problem_of_files(parent_directory(file), [&](const std::string& one) { return one == name; });
  if (problem.empty()) return;
  throw CheckpointError(problem + ": restore the file, or delete " + kManifestFile +
                        " to use it as it is");
}

uint32_t crc32_of(std::string_view bytes, uint32_t before) {
  return static_cast<uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

uint32_t file_crc32(const fs::path& path) {
  uint32_t crc = 0;
  read_blocks(path, [&](std::string_view block) { crc = crc32_of(block, crc); });
  return crc;
}

AppendFile::AppendFile(std::filesystem::path path)
    : path_(std::move(path)),
      file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (!file_.valid()) throw Error(path_.string() + ": cannot be written: " + std::strerror(errno));
}

void AppendFile::append(std::string_view record) {
  // The lock keeps another appender from writing after a partial record that is about to be cut
  // off.
  ::flock(file_.number(), LOCK_EX);
  const std::unique_ptr<const FileDescriptor, void (*)(const FileDescriptor*)> unlock(
      &file_, [](const FileDescriptor* file) { ::flock(file->number(), LOCK_UN); });
  const off_t end = ::lseek(file_.number(), 0, SEEK_END);
  const ssize_t written = ::write(file_.number(), record.data(), record.size());
  if (written == static_cast<ssize_t>(record.size())) return;
  const std::string reason = written < 0 ? std::strerror(errno) : "the disk is full";
  if (written > 0 && ::ftruncate(file_.number(), end) != 0)
    throw Error(path_.string() + ": cannot be shortened: " + std::strerror(errno));
  throw Error(path_.string() + ": cannot be written: " + reason);
}

MappedFile::MappedFile(const std::filesystem::path& path)
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status = {};
  if (!file_.valid() || ::fstat(file_.number(), &status) != 0)
    cannot_map(path, "opened", std::strerror(errno));
  if (!S_ISREG(status.st_mode)) cannot_map(path, "read", "it is not a regular file");
  size_ = static_cast<size_t>(status.st_size);
  if (size_ == 0) return;  // which mmap() refuses
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file_.number(), 0);
  if (data == MAP_FAILED) cannot_map(path, "mapped into memory", std::strerror(errno));
  data_ = data;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void MappedFile::read(uint64_t offset, char* to, size_t count) const {
  while (count > 0) {
    const ssize_t got = ::pread(file_.number(), to, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) cannot_map(path_, "read", got < 0 ? std::strerror(errno) : "it was cut short");
    offset += static_cast<uint64_t>(got);
    to += got;
    count -= static_cast<size_t>(got);
  }
}

void MappedFile::expect_random_access() const { stop_read_ahead(file_.number()); }

}  // namespace dietmt
