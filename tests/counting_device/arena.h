// The two ranges of addresses of the counting device (device_memory.h), handed out in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace dietmt::counting {

constexpr size_t kArenaBytes = size_t{1} << 36;

/// Freed blocks are kept by size; a block serves requests of at least half its size. What is
/// allocated for a recording belongs to the pool of the graph: once freed, it serves only
/// recordings of that pool before the pool has gone, as on CUDA.
class Arena {
 public:
  Arena();

  char* device() const { return device_; }
  char* mirror() const { return mirror_; }

  /// Takes and returns addresses of the mirror. `pool`: to which the block belongs; 0: none.
  void* allocate(size_t bytes, int64_t pool);
  void free(const void* mirror);

  struct Block {
    char* mirror = nullptr;
    size_t size = 0;
    int64_t number = 0;  // of the allocation; 0: there is no block
    int64_t owner = 0;
  };
  /// The block in use that has this address of the mirror.
  Block block_at(const void* mirror) const;

  /// Fills memory of a pool with ones, so that floating-point numbers are NaN and indices -1: what
  /// has been freed, and what was allocated after allocation number `since`.
  void spoil(int64_t pool, int64_t since);

  /// The number of the last allocation.
  int64_t allocations() const;

  /// The pool has gone.
  void disown(int64_t pool);

  int64_t in_use() const;
  int64_t most() const;
  void reset_most();

 private:
  struct Taken {
    size_t size = 0;
    int64_t number = 0;
    int64_t owner = 0;
    bool freed = false;  // by its user; graphs of the pool still write there
  };
  using Blocks = std::map<size_t, Taken>;

  void* reuse_in_pool(int64_t pool, size_t size);
  Blocks::iterator give_back(Blocks::iterator block);

  mutable std::mutex mutex_;
  char* device_ = nullptr;
  char* mirror_ = nullptr;
  size_t used_ = 0;
  std::multimap<size_t, size_t> free_;  // places by size
  Blocks blocks_;                       // by place
  int64_t allocations_ = 0;
  int64_t in_use_ = 0;
  int64_t most_ = 0;
};

Arena& arena();

}  // namespace dietmt::counting
