#include "nmt/engine/aligned_buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

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
  return checked(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
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
    data_ = checked(mremap(data_, bytes_, whole, MREMAP_MAYMOVE));
  } else {
    void* made = make(whole);
    if (data_ != nullptr) std::memcpy(made, data_, bytes_);
    drop(data_, bytes_);
    data_ = made;
  }
  bytes_ = whole;
  if (is_mapped(bytes_))
    madvise(data_, bytes_, MADV_HUGEPAGE);  // advice, which the system may ignore
}

}  // namespace dietmt::nmt
