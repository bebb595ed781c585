#include "tests/counting_device/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <tuple>

namespace dietmt::counting {
namespace {

constexpr size_t kAlignment = 512;  // as in CUDA's allocator

}  // namespace

Arena::Arena() {
  void* const start =
      mmap(nullptr, 2 * kArenaBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  device_ = static_cast<char*>(start);
  mirror_ = device_ + kArenaBytes;
  if (mprotect(mirror_, kArenaBytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
}

void* Arena::reuse_in_pool(int64_t pool, size_t size) {
  for (auto& [place, taken] : blocks_) {
    if (taken.owner != pool || !taken.freed || taken.size < size || taken.size > 2 * size) continue;
    taken.freed = false;
    taken.number = ++allocations_;
    return mirror_ + place;
  }
  return nullptr;
}

void* Arena::allocate(size_t bytes, int64_t pool) {
  const size_t size = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  const std::scoped_lock lock(mutex_);
  if (pool != 0)
    if (void* const reused = reuse_in_pool(pool, size)) return reused;
  const auto found = free_.lower_bound(size);
  size_t place = used_, taken = size;
  if (found != free_.end() && found->first <= 2 * size) {
    std::tie(taken, place) = *found;
    free_.erase(found);
  } else {
    if (used_ + size > kArenaBytes) throw std::bad_alloc();
    used_ += size;
  }
  blocks_[place] = {taken, ++allocations_, pool};
  in_use_ += static_cast<int64_t>(taken);
  most_ = std::max(most_, in_use_);
  return mirror_ + place;
}

void Arena::free(const void* mirror) {
  const std::scoped_lock lock(mutex_);
  const auto block = blocks_.find(static_cast<size_t>(static_cast<const char*>(mirror) - mirror_));
  if (block->second.owner != 0)
    block->second.freed = true;
  else
    give_back(block);
}

Arena::Blocks::iterator Arena::give_back(Blocks::iterator block) {
  in_use_ -= static_cast<int64_t>(block->second.size);
  free_.emplace(block->second.size, block->first);
  return blocks_.erase(block);
}

Arena::Block Arena::block_at(const void* mirror) const {
  const std::scoped_lock lock(mutex_);
  const auto place = static_cast<size_t>(static_cast<const char*>(mirror) - mirror_);
  auto found = blocks_.upper_bound(place);
  if (found == blocks_.begin()) return {};
  --found;
  const Taken& taken = found->second;
  if (place >= found->first + taken.size || taken.freed) return {};
  return {mirror_ + found->first, taken.size, taken.number, taken.owner};
}

void Arena::spoil(int64_t pool, int64_t since) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [place, taken] : blocks_) {
    if (taken.owner == pool && (taken.freed || taken.number > since))
      std::memset(mirror_ + place, 0xff, taken.size);
  }
}

int64_t Arena::allocations() const {
  const std::scoped_lock lock(mutex_);
  return allocations_;
}

void Arena::disown(int64_t pool) {
  const std::scoped_lock lock(mutex_);
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    Taken& taken = block->second;
    if (taken.owner != pool) {
      ++block;
      continue;
    }
    taken.owner = 0;
    block = taken.freed ? give_back(block) : std::next(block);
  }
}

int64_t Arena::in_use() const {
  const std::scoped_lock lock(mutex_);
  return in_use_;
}

int64_t Arena::most() const {
  const std::scoped_lock lock(mutex_);
  return most_;
}

void Arena::reset_most() {
  const std::scoped_lock lock(mutex_);
  most_ = in_use_;
}

// Never destroyed, since static tensors elsewhere may outlive it.
Arena& arena() {
  static Arena& arena = *new Arena;
  return arena;
}

}  // namespace dietmt::counting
