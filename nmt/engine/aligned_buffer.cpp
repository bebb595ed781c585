#include "nmt/engine/aligned_buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "common/system.h"

namespace dietmt::nmt {
namespace {

constexpr size_t kCacheLine = 64;
constexpr size_t kHugePage = size_t{1} << 21;

bool is_mapped(size_t bytes) { return bytes >= kHugePage; }

// At least one byte more than asked for: vector loads may read past the last number.
size_t rounded(size_t bytes) {
  const size_t unit = is_mapped(bytes) ? kHugePage : kCacheLine;
  return (bytes / unit + 1) * unit;
}

void* checked(void* made) {
  if (made == nullptr || made == MAP_FAILED) throw std::bad_alloc();
  return made;
}

void* make(size_t bytes) {
  if (!is_mapped(bytes)) return checked(std::aligned_alloc(kCacheLine, bytes));
  return checked(grow_mapping(nullptr, 0, bytes));
}

void drop(void* data, size_t bytes) {
  if (is_mapped(bytes))
    munmap(data, bytes);
  else
    std::free(data);
}

}  // namespace

MemoryBlock::~MemoryBlock() { drop(data_, bytes_); }

void MemoryBlock::resize(size_t bytes) {
  const size_t whole = rounded(bytes);
  if (is_mapped(bytes_)) {
    data_ = checked(grow_mapping(data_, bytes_, whole));
  } else {
    void* made = make(whole);
    if (data_ != nullptr) std::memcpy(made, data_, bytes_);
    drop(data_, bytes_);
    data_ = made;
  }
  bytes_ = whole;
}

}  // namespace dietmt::nmt
