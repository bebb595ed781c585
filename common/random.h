// Counter-based random numbers: a value is a pure function of (seed, stream, counter). Results
// depend neither on the order of calls nor on the number of threads, and resuming needs no stored
// generator state. The mixing function is the 64-bit finaliser of SplitMix64 (Steele et al. 2014),
// applied once per word.
#pragma once

#include <cstdint>
#include <utility>

namespace dietmt {

constexpr uint64_t mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Combines several numbers into one key, e.g. seed, epoch, site.
constexpr uint64_t random_key(uint64_t seed, uint64_t stream) {
  return mix64(mix64(seed) ^ stream);
}

/// The sequence of random numbers for a key.
class Random {
  __extension__ using Wide = unsigned __int128;

 public:
  explicit constexpr Random(uint64_t key) : key_(key) {}

  constexpr uint64_t next() { return mix64(key_ ^ mix64(counter_++)); }

  /// Uniform in [0, 1).
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Uniform in 0 .. n-1; n > 0. The multiplication's bias is below n / 2^64.
  constexpr uint64_t below(uint64_t n) {
    return static_cast<uint64_t>((static_cast<Wide>(next()) * n) >> 64);
  }

  /// Fisher-Yates shuffle of a random-access container.
  template <typename Container>
  void shuffle(Container& items) {
    for (uint64_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  uint64_t key_;
  uint64_t counter_ = 0;
};

}  // namespace dietmt
