#include "nmt/service/http/request_body.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "nmt/service/http/request_fault.h"

namespace dietmt::service {
namespace {

// O_TMPFILE makes a file that never had a name, where the file system knows it.
FileDescriptor file_without_name(const std::filesystem::path& directory) {
  FileDescriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.valid()) return file;
  std::string name = (directory / "dietmt-body-XXXXXX").string();
  FileDescriptor named(::mkostemp(name.data(), O_CLOEXEC));
  if (named.valid()) ::unlink(name.c_str());
  return named;
}

// Adds `bytes` to `used` unless they go beyond `limit`.
bool reserve(std::atomic<uint64_t>& used, uint64_t bytes, uint64_t limit) {
  if (used.fetch_add(bytes) + bytes <= limit) return true;
  used -= bytes;
  return false;
}

}  // namespace

RequestBody::~RequestBody() { (in_file() ? budget_.disk_used : budget_.memory_used) -= size_; }

void RequestBody::append(std::string_view bytes) {
  if (bytes.empty()) return;
  if (!in_file() && (size_ + bytes.size() > budget_.body_memory ||
                     !reserve(budget_.memory_used, bytes.size(), budget_.all_memory))) {
    move_to_file();
  }
  if (in_file()) {
    write_to_file(bytes);
  } else {
    memory_ += bytes;
    size_ += bytes.size();
  }
}

void RequestBody::move_to_file() {
  FileDescriptor file = file_without_name(budget_.directory);
  if (!file.valid()) {
    throw RequestFault(
        503, std::string("The server cannot store the body: ") + std::strerror(errno) + ".");
  }
  const std::string moved = std::exchange(memory_, {});
  budget_.memory_used -= size_;
  file_ = std::move(file);
  size_ = 0;
  write_to_file(moved);
}

void RequestBody::write_to_file(std::string_view bytes) {
  if (!reserve(budget_.disk_used, bytes.size(), budget_.all_disk)) {
    throw RequestFault(503, "The server's room for large bodies is used up.");
  }
  const uint64_t begin = size_;
  size_ += bytes.size();
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pwrite(file_.number(), bytes.data() + done, bytes.size() - done,
                               static_cast<off_t>(begin + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      throw RequestFault(
          503, std::string("The server cannot store the body: ") + std::strerror(errno) + ".");
    }
    done += static_cast<size_t>(n);
  }
}

size_t RequestBody::read(uint64_t offset, char* to, size_t count) const {
  if (offset >= size_) return 0;
  count = static_cast<size_t>(std::min<uint64_t>(count, size_ - offset));
  if (!in_file()) {
    std::memcpy(to, memory_.data() + offset, count);
    return count;
  }
  ssize_t n = 0;
  do {
    n = ::pread(file_.number(), to, count, static_cast<off_t>(offset));
  } while (n < 0 && errno == EINTR);
  if (n < 0) throw Error(std::string("A stored body cannot be read: ") + std::strerror(errno));
  return static_cast<size_t>(n);
}

}  // namespace dietmt::service
