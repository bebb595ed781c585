#include "service/http/spooled_bytes.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "service/http/request_fault.h"

namespace dietmt::service {
namespace {

// Adds `bytes` to `used` unless they go beyond `limit`.
bool reserve(std::atomic<uint64_t>& used, uint64_t bytes, uint64_t limit) {
  if (used.fetch_add(bytes) + bytes <= limit) return true;
  used -= bytes;
  return false;
}

[[noreturn]] void throw_not_stored(const std::system_error& error) {
  if (is_disk_full(error)) throw RequestFault(507, "The server's disk is full.");
  throw RequestFault(503, "The server cannot store the body: " + error.code().message() + ".");
}

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

size_t SpooledBytes::read(uint64_t offset, char* to, size_t count) const {
  if (offset >= size_) return 0;
  count = static_cast<size_t>(std::min<uint64_t>(count, size_ - offset));
  if (in_file()) return file_.read(offset, to, count);
  std::memcpy(to, memory_.data() + offset, count);
  return count;
}

}  // namespace dietmt::service
