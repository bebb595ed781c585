#include "nmt/service/jobs/spool_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "nmt/service/jobs/sql_database.h"

namespace dietmt::service {
namespace {

[[noreturn]] void fail(const std::string& what) {
  if (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)
    throw StorageFullError(what + ": the disk is full");
  throw Error(what + ": " + std::strerror(errno));
}

}  // namespace

SpoolFile::SpoolFile(const std::filesystem::path& directory) {
  std::string name = (directory / "upload.XXXXXX").string();
  fd_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd_ < 0) fail(directory.string() + ": an upload cannot be stored");
  ::unlink(name.c_str());
}

SpoolFile::~SpoolFile() { ::close(fd_); }

void SpoolFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("the upload cannot be stored");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

std::string SpoolFile::path() const { return "/proc/self/fd/" + std::to_string(fd_); }

bool SpoolFile::is_gzip() const {
  unsigned char magic[2] = {};
  return ::pread(fd_, magic, sizeof magic, 0) == sizeof magic && magic[0] == 0x1F &&
         magic[1] == 0x8B;
}

}  // namespace dietmt::service
