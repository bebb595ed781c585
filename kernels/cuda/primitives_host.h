// primitives.h on the host: the threads of a block are fibres of one thread of the system
// (Boost.Context), and a warp's operations exchange operands through a slot per lane. For tests;
// tests/kernels/cuda/primitives_host.cpp defines the functions.
//
// Mistakes that a GPU would pass over in silence are errors here: a barrier or warp operation that
// not all threads reach, different operations in one warp, misaligned addresses. Shared memory
// starts out as NaN. In a HostSchedule with an order, fibres are resumed in random order and an
// asynchronous copy arrives at once or when it is waited for; results have to stay the same bit for
// bit, which uncovers missing barriers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "kernels/cuda/attention_arguments.h"
#include "kernels/cuda/elements.h"

namespace dietmt::kernels {

struct HostSchedule {
  int workers = 1;     // threads that run blocks
  uint64_t order = 0;  // 0: blocks and threads in their order; else the seed of a random order
  int together = 1;    // blocks whose warps a worker runs in random turns
};

/// Runs `body(block, shared)` for every thread of every block of a grid; returns when all are done.
/// `threads` of a block: a multiple of kWarpThreads.
void run_on_host(BlockIndex grid, size_t shared_bytes, const HostSchedule& schedule,
                 const std::function<void(BlockIndex, char*)>& body, int threads = kThreads);

int thread_index();
inline int recomputed(int x) { return x; }
void sync_block();
void sync_warp();
float shuffle_xor(float value, int mask);
void load_matrices(uint32_t (&r)[4], const void* row);
void load_matrices_transposed(uint32_t (&r)[4], const void* row);
Words load_words(const void* from);
void store_words(void* to, const Words& words);
Words load_written(const void* from);
inline void fence_writes() { std::atomic_thread_fence(std::memory_order_seq_cst); }
uint32_t take_ticket(uint32_t* ticket, uint32_t last);
void copy_async(void* to, const void* from, bool valid);
void copy_async_cached(void* to, const void* from);
void copy_word_async(void* to, const void* from, bool valid);
void commit_copies();
void wait_for_copies(size_t unfinished);

template <int kUnfinished>
void wait_copies() {
  wait_for_copies(kUnfinished);
}

namespace detail {
/// The fragments a and b of every lane of the warp.
struct MultiplyOperands {
  uint32_t a[4];
  uint32_t b[2];
};
const MultiplyOperands* exchange_operands(const MultiplyOperands& own);

/// Products of fragments since the program began.
uint64_t products();

template <typename E>
float element(const uint32_t* registers, int half) {
  return half == 0 ? low_float<E>(*registers) : high_float<E>(*registers);
}
}  // namespace detail

template <typename E>
void multiply_add(float (&d)[4], const uint32_t (&a)[4], const uint32_t* b) {
  const detail::MultiplyOperands* lanes =
      detail::exchange_operands({{a[0], a[1], a[2], a[3]}, {b[0], b[1]}});
  const int lane = thread_index() % 32;
  for (int output = 0; output < 4; ++output) {
    const int row = lane / 4;
    const int column = 2 * (lane % 4) + output % 2;
    float sum = d[output];
    for (int k = 0; k < 16; ++k) {
      const int pair = (k % 8) / 2;
      const uint32_t* x = &lanes[row * 4 + pair].a[2 * (k / 8) + output / 2];
      const uint32_t* y = &lanes[column * 4 + pair].b[k / 8];
      sum += detail::element<E>(x, k % 2) * detail::element<E>(y, k % 2);
    }
    d[output] = sum;
  }
}

/// The device reads TF32 numbers without their last 13 bits.
inline void multiply_add_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  const detail::MultiplyOperands* lanes =
      detail::exchange_operands({{a[0], a[1], a[2], a[3]}, {b[0], b[1]}});
  const auto number = [](uint32_t bits) { return float_of(bits & ~uint32_t{0x1fff}); };
  const int lane = thread_index() % 32;
  for (int output = 0; output < 4; ++output) {
    const int row = lane / 4;
    const int column = 2 * (lane % 4) + output % 2;
    float sum = d[output];
    for (int k = 0; k < 8; ++k) {
      sum += number(lanes[row * 4 + k % 4].a[2 * (k / 4) + output / 2]) *
             number(lanes[column * 4 + k % 4].b[k / 4]);
    }
    d[output] = sum;
  }
}

inline float exp2_fast(float x) { return std::exp2(x); }

}  // namespace dietmt::kernels
