#include "common/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/error.h"
#include "common/files.h"
#include "common/system.h"

namespace dietmt {
namespace fs = std::filesystem;
namespace {

constexpr const char* kTemporary = ".dietmt-tmp";
constexpr size_t kBufferBytes = 1 << 20;
constexpr mode_t kPermissions = 0644;

FileDescriptor open_file(const fs::path& path, int flags) {
  return FileDescriptor(::open(path.c_str(), flags | O_CLOEXEC, kPermissions));
}

// Where there are no files without a name.
FileDescriptor create_and_unlink(const fs::path& path) {
  for (int64_t i = 0;; ++i) {
    const fs::path name = temporary_name(path).string() + std::to_string(i);
    FileDescriptor file = open_file(name, O_RDWR | O_CREAT | O_EXCL);
    if (!file.valid() && errno == EEXIST) continue;
    if (file.valid()) ::unlink(name.c_str());
    return file;
  }
}

// Links a file from open_unnamed() to `name`. Returns true if the file has a name already.
bool give_name(int file, const fs::path& name) {
  struct stat status = {};
  if (::fstat(file, &status) != 0) return false;
  if (status.st_nlink > 0) return true;
  ::unlink(name.c_str());
  return link_unnamed(file, name);
}

// Gives an open file the permissions of the file that it will replace, if any.
void keep_permissions(int file, const fs::path& replaced) {
  struct stat status = {};
  if (::stat(replaced.c_str(), &status) == 0) ::fchmod(file, status.st_mode & 07777);
}

// A path that ends in a separator names the directory before it.
fs::path without_separator(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

fs::path temporary_name(const fs::path& path) {
  return path.string() + kTemporary + std::to_string(::getpid());
}

bool is_temporary_name(std::string_view name, std::string_view of) {
  const std::string before = std::string(of) + kTemporary;
  return name.starts_with(before) && name.size() > before.size() &&
         name.find_first_not_of("0123456789", before.size()) == name.npos;
}

void OutputFile::fail(const char* action) const {
  throw Error(path_.string() + ": cannot be " + action + ": " + std::strerror(errno));
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() < kBufferBytes)
    buffer_.append(bytes);
  else
    write_through(bytes);
}

void OutputFile::flush() {
  write_through(buffer_);
  buffer_.clear();
}

void OutputFile::write_through(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("written");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void OutputFile::append(OutputFile& other) {
  other.flush();
  std::vector<char> block(kBufferBytes);
  off_t at = 0;
  for (ssize_t count;
       (count = ::pread(other.file_.number(), block.data(), block.size(), at)) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("written");
    write({block.data(), static_cast<size_t>(count)});
    at += count;
  }
}

UnnamedFile::UnnamedFile(const fs::path& path) {
  path_ = path;
  file_ = open_unnamed(parent_directory(path), kPermissions);
  if (!file_.valid()) file_ = create_and_unlink(path);
  if (!file_.valid()) fail("written");
}

AtomicFile::AtomicFile(const fs::path& path, Unfinished unfinished) : unfinished_(unfinished) {
  if (!may_be_replaced(path))
    throw Error(path.string() + ": cannot be written: it is not a regular file");
  path_ = behind_links(path);
  if (temporary_name(path_).filename().string().size() > NAME_MAX)
    throw Error(path.string() + ": cannot be written: the name is too long");
  remove_leftovers(path_);
  const bool kept = unfinished == Unfinished::kKept;
  temporary_ = kept ? fs::path(path_.string() + ".part") : temporary_name(path_);
  if (!kept) file_ = open_unnamed(parent_directory(path_), kPermissions);
  if (!file_.valid()) file_ = open_file(temporary_, O_RDWR | O_CREAT | (kept ? 0 : O_TRUNC));
  if (!file_.valid()) fail("written");
  // File systems without locks (NFS) fail with another error.
  if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK && kept)
    throw Error(temporary_.string() + ": another process is writing this file");
}

AtomicFile::~AtomicFile() {
  if (!committed_ && unfinished_ == Unfinished::kRemoved) discard();
}

void AtomicFile::discard() { ::unlink(temporary_.c_str()); }

void AtomicFile::overwrite(uint64_t offset, std::string_view bytes) {
  flush();
  const ssize_t written =
      ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
  if (written != static_cast<ssize_t>(bytes.size())) fail("written");
}

size_t AtomicFile::read(uint64_t offset, char* to, size_t count) {
  flush();
  for (;;) {
    const ssize_t size = ::pread(file_.number(), to, count, static_cast<off_t>(offset));
    if (size >= 0) return static_cast<size_t>(size);
    if (errno != EINTR) fail("read");
  }
}

void AtomicFile::truncate(uint64_t size) {
  flush();
  const auto end = static_cast<off_t>(size);
  if (::ftruncate(file_.number(), end) != 0 || ::lseek(file_.number(), end, SEEK_SET) < 0)
    fail("written");
}

void AtomicFile::commit() {
  flush();
  keep_permissions(file_.number(), path_);
  if (::fsync(file_.number()) != 0) fail("synced to disk");
  if (!give_name(file_.number(), temporary_)) fail("named");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("renamed into place");
  committed_ = true;
  sync_to_disk(parent_directory(path_));
}

AtomicDirectory::AtomicDirectory(const fs::path& final_path)
    : final_(without_separator(final_path)), temporary_(temporary_name(final_)) {
  std::error_code error;
  if (fs::exists(final_, error) && !fs::is_directory(final_, error))
    throw Error(final_.string() + ": cannot be created: it is not a directory");
  remove_leftovers(final_);
  fs::create_directories(temporary_, error);
  lock_ = FileDescriptor(::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC));
  ::flock(lock_.number(), LOCK_EX | LOCK_NB);
  if (error) throw Error(temporary_.string() + ": cannot be created: " + error.message());
}

AtomicDirectory::~AtomicDirectory() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(temporary_, ignored);
}

void AtomicDirectory::commit() {
  nlohmann::json files = nlohmann::json::object();
  for (const fs::directory_entry& entry : fs::directory_iterator(temporary_)) {
    sync_to_disk(entry.path());
    files[entry.path().filename().string()] = {{"size", entry.file_size()},
                                               {"crc32", file_crc32(entry.path())}};
  }
  write_file_atomically(temporary_ / kManifestFile,
                        nlohmann::json({{"files", files}}).dump(1) + "\n");
  sync_to_disk(temporary_);
  if (::rename(temporary_.c_str(), final_.c_str()) != 0)
    throw Error(final_.string() + ": cannot be created: " + std::strerror(errno));
  committed_ = true;
  sync_to_disk(parent_directory(final_));
}

}  // namespace dietmt
