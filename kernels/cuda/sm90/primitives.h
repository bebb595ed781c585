// What sm_90a adds to kernels/cuda/primitives.h: barriers that count bytes, copies of boxes of a
// tensor (TMA), and products of a warpgroup (wgmma). On the host, threads are fibres again
// (primitives_host.h). Facts: PTX ISA 9.0, sections on mbarrier, cp.async.bulk.tensor and wgmma.
//
//   init_barrier(b, arrivals)         the phase ends after so many arrivals and all expected bytes
//   arrive(b)
//   arrive_expecting(b, bytes)        the same, and the phase awaits so many more bytes
//   wait_barrier(b, parity)           until the phase of this parity has ended; the first has 0
//   load_box(to, map, at, b)          one thread starts a copy of a box, whose bytes arrive at b;
//                                     elements beyond the tensor are zeros
//   fence_async_proxy()               shared memory that this thread wrote, or barriers that it
//                                     initialized, can be used by copies and products from now on
//   sync_warpgroup(barrier)           128 threads meet; barriers have numbers from 1 to 15
//   begin_multiplies(registers..)     wgmma.fence: registers that products will read or add to
//   multiply_shared<E>(d, a, b, add)  d = a b^T + (add ? d : 0): 64 x kColumns, depth 16; a and b
//                                     are descriptors of tiles whose rows lie along the depth
//   multiply_registers<E>(d, a, b)    d += a b; b is the descriptor of a tile whose rows lie along
//                                     the columns
//   commit_multiplies()               closes a group of products
//   wait_multiplies<n>(registers..)   until at most n groups are unfinished; only then can the
//                                     registers be read or written
//   give_registers<n>()               setmaxnreg: the threads of a warpgroup keep n registers each
//   take_registers<n>()               the same, and wait until they get n
//
// Warp w of a warpgroup holds rows 16 w .. of d, in the layout of mma.m16n8k16: d[4 n + e] is at
// column 8 n + 2 t + e % 2 of row g + 8 (e / 2), with g = lane / 4 and t = lane % 4. `a` in
// registers has the layout of mma.m16n8k16 as well.
#pragma once

#include "kernels/cuda/primitives.h"

namespace dietmt::kernels {

constexpr int kWarpgroupThreads = 128;
constexpr int kWarpgroupRows = 64;
constexpr int kDepth = 16;  // of one product

/// Counts arrivals and bytes in shared memory (mbarrier).
struct alignas(8) TransactionBarrier {
  uint64_t state;
};

/// Describes a tensor and its boxes to the copy engine (CUtensorMap); made by encode_tensor_map().
struct alignas(64) TensorMap {
  uint64_t words[16];
};

/// How 16-byte pieces of rows are exchanged, as a descriptor encodes it.
enum class Swizzle : uint64_t { kNone = 0, k128Bytes = 1, k64Bytes = 2, k32Bytes = 3 };

/// Bytes of a row in a swizzled tile; the pattern repeats after eight of them.
constexpr int swizzle_bytes(Swizzle swizzle) {
  return swizzle == Swizzle::kNone ? 16 : 256 >> static_cast<int>(swizzle);
}

}  // namespace dietmt::kernels

#ifdef __CUDACC__
#include "kernels/cuda/sm90/primitives_device.h"
#else
#include "kernels/cuda/sm90/primitives_host.h"
#endif

namespace dietmt::kernels {

/// The descriptor of a tile in shared memory that begins at `start`. Its pattern must begin where
/// eight rows divide the address, so the base offset is 0. Eight rows are `stride_bytes` from the
/// next eight; swizzled tiles whose rows lie along the columns have `leading_bytes` from one piece
/// of swizzle_bytes() to the next.
DIETMT_DEVICE uint64_t matrix_descriptor(const void* start, Swizzle swizzle, int stride_bytes,
                                         int leading_bytes) {
  const auto encode = [](uint32_t bytes) { return uint64_t{(bytes & 0x3ffffU) >> 4}; };
  return encode(shared_address(start)) | encode(static_cast<uint32_t>(leading_bytes)) << 16 |
         encode(static_cast<uint32_t>(stride_bytes)) << 32 | static_cast<uint64_t>(swizzle) << 62;
}

}  // namespace dietmt::kernels
