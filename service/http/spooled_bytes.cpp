#include "service/http/spooled_bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/system.h"
#include "service/http/message.h"

namespace dietmt::service {
namespace {

// Adds `bytes` to `used` unless that would exceed `limit`.
bool reserve(std::atomic<uint64_t>& used, uint64_t bytes, uint64_t limit) {
  if (used.fetch_add(bytes) + bytes <= limit) return true;
  used -= bytes;
  return false;
}

[[noreturn]] void throw_not_stored(const std::system_error& error) {
  if (is_disk_full(error)) throw RequestFault(507, "The server's disk is full.");
  throw RequestFault(503, "The server cannot store the body: " + error.code().message() + ".");
}

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

}  // namespace

SpooledBytes::~SpooledBytes() { (in_file() ? budget_.disk_used : budget_.memory_used) -= size_; }

void SpooledBytes::append(std::string_view bytes) {
  if (bytes.empty()) return;
  const bool is_large = size_ + bytes.size() > budget_.one_memory;
  if (memory_only_ && is_large) {
    throw RequestFault(401, "a body of more than " + std::to_string(budget_.one_memory) +
                                " bytes needs its API key in a header");
  }
  if (!in_file() && (is_large || !reserve(budget_.memory_used, bytes.size(), budget_.all_memory))) {
    if (memory_only_) throw RequestFault(503, "The server's memory for bodies is used up.");
    move_to_file();
  }
  if (in_file()) {
    write_to_file(bytes);
  } else {
    memory_ += bytes;
    size_ += bytes.size();
  }
}

void SpooledBytes::move_to_file() {
  if (in_file()) return;
  const std::string moved = std::exchange(memory_, {});
  budget_.memory_used -= std::exchange(size_, 0);
  try {
    file_ = NamelessFile(budget_.directory);
  } catch (const std::system_error& error) {
    throw_not_stored(error);
  }
  write_to_file(moved);
}

void SpooledBytes::write_to_file(std::string_view bytes) {
  if (!reserve(budget_.disk_used, bytes.size(), budget_.all_disk)) {
    throw RequestFault(503, "The server's room for large bodies is used up.");
  }
  const uint64_t begin = size_;
  size_ += bytes.size();
  try {
    file_.write(begin, bytes);
  } catch (const std::system_error& error) {
    throw_not_stored(error);
  }
}

void SpooledBytes::truncate(uint64_t size) {
  file_.truncate(size);
  budget_.disk_used -= size_ - size;
  size_ = size;
}

size_t SpooledBytes::read(uint64_t offset, char* to, size_t count) const {
  if (offset >= size_) return 0;
  count = static_cast<size_t>(std::min<uint64_t>(count, size_ - offset));
  if (in_file()) return file_.read(offset, to, count);
  std::memcpy(to, memory_.data() + offset, count);
  return count;
}

NamelessFile::NamelessFile(const std::filesystem::path& directory)
    : file_(open_unnamed(directory, 0600)) {
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

void NamelessFile::truncate(uint64_t size) {
  if (::ftruncate(file_.number(), static_cast<off_t>(size)) != 0) fail();
}

size_t NamelessFile::read(uint64_t offset, char* to, size_t count) const {
  ssize_t n = 0;
  do {
    n = ::pread(file_.number(), to, count, static_cast<off_t>(offset));
  } while (n < 0 && errno == EINTR);
  if (n < 0) fail();
  return static_cast<size_t>(n);
}

std::string NamelessFile::path() const { return path_of_open_file(file_.number()); }

bool is_disk_full(const std::system_error& error) {
  return error.code() == std::errc::no_space_on_device ||
         error.code() == std::errc::file_too_large || error.code().value() == EDQUOT;
}

}  // namespace dietmt::service
