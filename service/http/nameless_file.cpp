#include "service/http/nameless_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace dietmt::service {
namespace {

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

}  // namespace

// O_TMPFILE creates a file that never has a name. Not all file systems support it.
NamelessFile::NamelessFile(const std::filesystem::path& directory)
    : file_(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) {
  if (file_.valid()) return;
  std::string name = (directory / "dietmt-XXXXXX").string();
  file_ = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!file_.valid()) fail();
  ::unlink(name.c_str());
}

void NamelessFile::write(uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n =
        ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    bytes.remove_prefix(static_cast<size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
}

size_t NamelessFile::read(uint64_t offset, char* to, size_t count) const {
  ssize_t n = 0;
  do {
    n = ::pread(file_.number(), to, count, static_cast<off_t>(offset));
  } while (n < 0 && errno == EINTR);
  if (n < 0) fail();
  return static_cast<size_t>(n);
}

std::string NamelessFile::path() const { return "/proc/self/fd/" + std::to_string(file_.number()); }

bool is_disk_full(const std::system_error& error) {
  return error.code() == std::errc::no_space_on_device ||
         error.code() == std::errc::file_too_large || error.code().value() == EDQUOT;
}

}  // namespace dietmt::service
