// Counter-based dropout: element i of a tensor is kept or dropped by a pure function of (key, i),
// so that backward recomputes the mask and no generator state is stored.
#pragma once

#include <cstdint>

#include "common/random.h"

namespace dietmt::kernels {

/// Keep if hash(key, index) >= threshold.
constexpr uint32_t dropout_threshold(double p) {
  return static_cast<uint32_t>(p * 4294967296.0 < 4294967295.0 ? p * 4294967296.0 : 4294967295.0);
}

/// 32 random bits of element `index` (two rounds of the 32-bit finaliser of MurmurHash3 over the
/// index and both halves of the key: integer work only, so that compilers vectorise it). `Bits` is
/// uint32_t or a vector of it.
template <typename Bits>
constexpr Bits dropout_bits(uint64_t key, Bits index) {
  Bits x = index ^ static_cast<uint32_t>(key);
  x = (x ^ (x >> 16)) * 0x85ebca6bU;
  x = (x ^ (x >> 13)) * 0xc2b2ae35U;
  x ^= static_cast<uint32_t>(key >> 32);
  x = (x ^ (x >> 16)) * 0x85ebca6bU;
  x = (x ^ (x >> 13)) * 0xc2b2ae35U;
  return x ^ (x >> 16);
}

constexpr bool dropout_keeps(uint64_t key, uint32_t index, uint32_t threshold) {
  return dropout_bits(key, index) >= threshold;
}

/// Attention probabilities, a row for each sentence, head and query. Hashing each of them as above
/// would cost a GPU more than the rest of attention, so only the start of a row is hashed; columns
/// are equal steps from there, mixed by one round, whose upper bits decide.
constexpr uint32_t kDropoutStep = 0x9e3779b1U;

constexpr uint32_t dropout_row_start(uint64_t key, uint32_t row) { return dropout_bits(key, row); }

/// 32 random bits at `place`: the start of a row + column * kDropoutStep, modulo 2^32.
template <typename Bits>
constexpr Bits dropout_bits_at(Bits place) {
  Bits x = (place ^ (place >> 16)) * 0x85ebca6bU;
  return (x ^ (x >> 13)) * 0xc2b2ae35U;
}

constexpr bool dropout_keeps_at(uint32_t place, uint32_t threshold) {
  return dropout_bits_at(place) >= threshold;
}

/// The key of one dropout site. Kernels read the key of the pass when they run, so a recorded pass
/// drops other elements once that number has changed.
struct DropoutKey {
  const uint64_t* pass_key = nullptr;  // where the kernel runs
  uint64_t site = 0;                   // its number in the pass

  constexpr uint64_t value() const { return random_key(*pass_key, site); }
};

}  // namespace dietmt::kernels
