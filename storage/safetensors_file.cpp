#include "storage/safetensors_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/files.h"

namespace dietmt::storage {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail_with_errno(const fs::path& path, const std::string& what) {
  throw CheckpointError(path.string() + ": cannot be " + what + ": " + std::strerror(errno));
}

}  // namespace

MappedFile::MappedFile(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail_with_errno(path, "opened");
  struct stat status {};
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    size_ = static_cast<uint64_t>(status.st_size);
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
  }
  ::close(file);
  if (data_ == MAP_FAILED) fail_with_errno(path, "read");
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

PendingFile::PendingFile(const fs::path& path) : path_(path), temporary_(temporary_name(path)) {
  remove_leftovers(path_);
  file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file_ < 0) fail_with_errno(path_, "written");
  ::flock(file_, LOCK_EX);
}

PendingFile::~PendingFile() {
  if (file_ >= 0) ::close(file_);
  if (!finished_) ::unlink(temporary_.c_str());
}

void PendingFile::write(const void* data, uint64_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(file_, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with_errno(path_, "written");
    next += written;
    size -= static_cast<uint64_t>(written);
  }
}

void PendingFile::finish() {
  if (::fsync(file_) != 0) fail_with_errno(path_, "synced to disk");
  if (::close(std::exchange(file_, -1)) != 0) fail_with_errno(path_, "closed");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    fail_with_errno(path_, "renamed into place");
  finished_ = true;
}

}  // namespace dietmt::storage
