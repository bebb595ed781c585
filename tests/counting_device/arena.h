// The two address ranges of the counting device (device_memory.h), handed out in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace dietmt::counting {

constexpr size_t kArenaBytes = size_t{1} << 36;

/// Freed blocks are kept by size; a block serves requests of at least half its size. Memory
/// allocated for a recording belongs to the graph's pool: once freed, it serves only recordings of
/// that pool until the pool is gone, as on CUDA.
class Arena {
 public:
  Arena();

  char* device() const { return device_; }
  char* mirror() const { return mirror_; }

  /// Allocates and frees addresses of the mirror. `pool`: the block's pool; 0: none.
  void* allocate(size_t bytes, int64_t pool);
  void free(const void* mirror);

  struct Block {
    char* mirror = nullptr;
    size_t size = 0;
    int64_t number = 0;  // of the allocation; 0: there is no block
    int64_t owner = 0;
  };
  /// The block in use that contains this mirror address.
  Block block_at(const void* mirror) const;

  /// Fills memory of a pool with ones, so that floating-point numbers are NaN and indices -1: freed
  /// memory, and memory allocated after allocation number `since`.
  void spoil(int64_t pool, int64_t since);

  /// The number of the last allocation.
  int64_t allocations() const;

  /// Called when the pool is gone.
  void disown(int64_t pool);

  int64_t in_use() const;
  int64_t most() const;
  void reset_most();

 private:
  struct Taken {
    size_t size = 0;
    int64_t number = 0;
    int64_t owner = 0;
    bool freed = false;  // by its user; graphs of the pool still write to it
  };
  using Blocks = std::map<size_t, Taken>;

  void* reuse_in_pool(int64_t pool, size_t size);
  Blocks::iterator give_back(Blocks::iterator block);

  mutable std::mutex mutex_;
  char* device_ = nullptr;
  char* mirror_ = nullptr;
  size_t used_ = 0;
  std::multimap<size_t, size_t> free_;  // addresses by size
  Blocks blocks_;                       // by address
  int64_t allocations_ = 0;
  int64_t in_use_ = 0;
  int64_t most_ = 0;
};

Arena& arena();

}  // namespace dietmt::counting
