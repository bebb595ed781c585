// Keys that were seen before, 64 bits each, in a hash table of 11 to 22 bytes a key. The table is a
// mapped file without a name, so that the system keeps in memory what fits there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace dietmt::data {

class DuplicateIndex {
 public:
  /// The file lies in `directory`. Throws Error if it cannot be written.
  explicit DuplicateIndex(std::filesystem::path directory);
  ~DuplicateIndex();

  bool contains(uint64_t key) const;

  /// Throws Error if the disk is full.
  void insert(uint64_t key);

  int64_t size() const { return size_; }

 private:
  class Table;

  void grow();

  std::filesystem::path directory_;
  std::unique_ptr<Table> table_;
  int64_t size_ = 0;
};

/// SipHash-1-3 (Aumasson and Bernstein 2012): nobody who does not know the seed can make texts with
/// equal hashes.
class TextHash {
 public:
  explicit TextHash(uint64_t seed);

  static uint64_t random_seed();

  void add(const void* bytes, size_t size);
  uint64_t finish();

 private:
  void round();
  void add_word(uint64_t word);

  uint64_t v0_, v1_, v2_, v3_;
  uint64_t partial_ = 0;  // the last bytes, which do not fill a word
  size_t size_ = 0;
};

}  // namespace dietmt::data
