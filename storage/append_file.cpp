#include "storage/append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "common/error.h"

namespace dietmt::storage {

AppendFile::AppendFile(std::filesystem::path path)
    : path_(std::move(path)),
      file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (!file_.valid()) throw Error(path_.string() + ": cannot be written: " + std::strerror(errno));
}

void AppendFile::append(std::string_view record) {
  const off_t end = ::lseek(file_.number(), 0, SEEK_END);
  const ssize_t written = ::write(file_.number(), record.data(), record.size());
  if (written == static_cast<ssize_t>(record.size())) return;
  const std::string reason = written < 0 ? std::strerror(errno) : "the disk is full";
  if (written > 0 && ::ftruncate(file_.number(), end) != 0)
    throw Error(path_.string() + ": cannot be shortened: " + std::strerror(errno));
  throw Error(path_.string() + ": cannot be written: " + reason);
}

}  // namespace dietmt::storage
