// sm90/primitives.h on the host, in addition to kernels/cuda/primitives_host.h. For tests.
//
// - Copies arrive in pieces, in any order, any time before their barrier's phase ends.
// - Products run any time between their issue and the end of the wait for their group. Warps of a
//   warpgroup do not wait for each other. Until then the sums are NaN in the registers.
// - The lanes of a warp leave wait_barrier() at different times.
// - Copies and products see shared memory as it was when a thread last called fence_async_proxy().
// - Ends the program for: registers that were not named to begin_multiplies() or changed after it,
//   barriers that are not initialized, expect too much or too little, misaligned addresses and
//   descriptors, and copies or products that a block does not await.
#pragma once

#include <cstring>

#include "kernels/cuda/primitives_host.h"

namespace dietmt::kernels {

uint32_t shared_address(const void* pointer);
void init_barrier(TransactionBarrier* barrier, int arrivals);
void arrive(TransactionBarrier* barrier);
void arrive_expecting(TransactionBarrier* barrier, int bytes);
void wait_barrier(TransactionBarrier* barrier, int parity);
void load_box(void* to, const TensorMap& map, const int (&at)[3], TransactionBarrier* barrier);
void fence_async_proxy();
void sync_warpgroup(int barrier);
void commit_multiplies();

namespace host {

/// Registers of a thread that products use.
struct Registers {
  void* data;
  int count;
};

/// A product as one thread issues it.
struct Multiply {
  float (*to_float)(uint16_t bits);
  int columns;        // of d
  float* d;           // [columns / 2]
  const uint32_t* a;  // [4], or null: a is in shared memory
  uint64_t a_tile;
  uint64_t b_tile;
  bool depth_major;  // rows of the tile b lie along the depth
  bool add;
};

void begin(std::initializer_list<Registers> registers);
void issue(const Multiply& multiply);
void wait(int unfinished_groups);
/// All threads of a warpgroup must come.
void change_registers();

template <typename E>
float element_of(uint16_t bits) {
  return to_float(E{bits});
}

}  // namespace host

template <int kCount>
void give_registers() {
  static_assert(kCount % 8 == 0 && kCount >= 24 && kCount <= 256);
  host::change_registers();
}

template <int kCount>
void take_registers() {
  give_registers<kCount>();
}

template <typename... R, int... kCounts>
void begin_multiplies(R (&... registers)[kCounts]) {
  host::begin({{registers, kCounts}...});
}

template <int kUnfinished, typename... R>
void wait_multiplies(R&...) {
  host::wait(kUnfinished);
}

template <typename E>
void multiply_shared(float (&d)[32], uint64_t a, uint64_t b, bool add) {
  host::issue({host::element_of<E>, 64, d, nullptr, a, b, true, add});
}

template <typename E, int kCount>
void multiply_registers(float (&d)[kCount], const uint32_t* a, uint64_t b) {
  static_assert(kCount == 32 || kCount == 64);
  host::issue({host::element_of<E>, 2 * kCount, d, a, 0, b, false, true});
}

}  // namespace dietmt::kernels
