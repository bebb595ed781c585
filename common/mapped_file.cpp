#include "common/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "common/error.h"

namespace dietmt {
namespace {

[[noreturn]] void cannot_map(const std::filesystem::path& path, const std::string& action,
                             const char* reason) {
  throw Error(path.string() + ": cannot be " + action + ": " + reason);
}

}  // namespace

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

void MappedFile::expect_random_access() const {
  ::posix_fadvise(file_.number(), 0, 0, POSIX_FADV_RANDOM);
}

}  // namespace dietmt
