// The warp and block operations that the attention kernels are written against. Two
// implementations: inline PTX for the device, and the threads of a block as fibres on the host
// (primitives_host.h), so that tests run the kernels' own source without a GPU.
//
//   thread_index()                 0 .. kThreads - 1
//   sync_block(), sync_warp()      barriers; memory written before is seen after
//   shuffle_xor(value, mask)       the value of lane (lane ^ mask)
//   load_matrices(r, row)          ldmatrix.x4: four 8 x 8 matrices; lane l gives row l % 8 of
//   matrix
//                                  l / 8; register m of lane l gets columns 2 (l % 4) and + 1 of
//                                  row l / 4 of matrix m
//   load_matrices_transposed       the transposed matrices
//   multiply_add<E>(d, a, b)       mma.sync.m16n8k16: d += a b with fp32 sums
//   multiply_add_tf32(d, a, b)     mma.sync.m16n8k8 of TF32 numbers: d += a b
//   copy_async(to, from, valid)    cp.async of 16 bytes, zeros if not valid
//   copy_async_cached(to, from)    the same through L1, for data that many threads and blocks read
//   copy_word_async                4 bytes
//   commit_copies()                closes a group of copies
//   wait_copies<n>()               until at most n of this thread's groups are unfinished
//   exp2_fast(x)                   2^x
//   recomputed(x)                  x; the compiler keeps no values derived from it in registers
//   load_words(from), store_words  16 bytes of global memory at an address that 16 divides
//   load_written(from)             16 bytes that other blocks of this kernel have written
//   fence_writes()                 orders this thread's accesses to global memory for other blocks
//   take_ticket(ticket, last)      adds one, or starts again at 0 after `last`; the value before
//
// Fragments of m16n8k16, with g = lane / 4, t = lane % 4: a[0] holds row g, columns 2t and 2t + 1;
// a[1] row g + 8; a[2], a[3] the same rows, columns 2t + 8, 2t + 9; b[0] holds rows 2t, 2t + 1 of
// column g, b[1] rows 2t + 8, 2t + 9; d holds (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1).
// Of m16n8k8 in TF32: a[0] holds (g, t), a[1] (g + 8, t), a[2] (g, t + 4), a[3] (g + 8, t + 4);
// b[0] holds row t of column g, b[1] row t + 4; d as above. ldmatrix moves an fp32 number as two
// 16-bit elements.
#pragma once

#include "kernels/cuda/attention_arguments.h"
#include "kernels/cuda/elements.h"

namespace dietmt::kernels {

constexpr int kWarpThreads = 32;
constexpr int kWarps = kThreads / kWarpThreads;

struct alignas(16) Words {
  uint32_t of[4];
};

/// Threads of a block: Block::kBlockThreads if it has them, else kThreads.
template <typename Block>
constexpr int block_threads() {
  if constexpr (requires { Block::kBlockThreads; }) {
    return Block::kBlockThreads;
  } else {
    return kThreads;
  }
}

/// Blocks that share a multiprocessor: Block::kBlocksTogether if it has them. They bound the
/// registers of a thread; 0: no bound.
template <typename Block>
constexpr int blocks_together() {
  if constexpr (requires { Block::kBlocksTogether; }) {
    return Block::kBlocksTogether;
  } else {
    return 0;
  }
}

}  // namespace dietmt::kernels

#ifdef __CUDACC__
#include "kernels/cuda/primitives_device.h"
#else
#include "kernels/cuda/primitives_host.h"
#endif

namespace dietmt::kernels {

DIETMT_DEVICE int warp_index() { return thread_index() / kWarpThreads; }
DIETMT_DEVICE int lane_index() { return thread_index() % kWarpThreads; }

}  // namespace dietmt::kernels
