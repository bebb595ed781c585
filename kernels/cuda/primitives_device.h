// primitives.h on the device: inline PTX for sm_80 and newer.
#pragma once

#include <cstdint>

#include "kernels/cuda/elements.h"

namespace dietmt::kernels {

DIETMT_DEVICE int thread_index() {
  const unsigned thread = threadIdx.x;
  __builtin_assume(thread < 1024);  // spares the correction of signed divisions
  return static_cast<int>(thread);
}
DIETMT_DEVICE int recomputed(int x) {
  asm volatile("" : "+r"(x));
  __builtin_assume(x >= 0);
  return x;
}

DIETMT_DEVICE void sync_block() { __syncthreads(); }
DIETMT_DEVICE void sync_warp() { __syncwarp(); }

DIETMT_DEVICE float shuffle_xor(float value, int mask) {
  return __shfl_xor_sync(0xffffffffU, value, mask);
}

DIETMT_DEVICE Words load_words(const void* from) { return *static_cast<const Words*>(from); }
DIETMT_DEVICE void store_words(void* to, const Words& words) { *static_cast<Words*>(to) = words; }
DIETMT_DEVICE Words load_written(const void* from) {
  const uint4 words = __ldcg(static_cast<const uint4*>(from));
  return {{words.x, words.y, words.z, words.w}};
}
DIETMT_DEVICE void fence_writes() { __threadfence(); }

DIETMT_DEVICE uint32_t take_ticket(uint32_t* ticket, uint32_t last) {
  return atomicInc(ticket, last);
}

DIETMT_DEVICE uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

DIETMT_DEVICE void load_matrices(uint32_t (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}

DIETMT_DEVICE void load_matrices_transposed(uint32_t (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}

template <typename E>
DIETMT_DEVICE void multiply_add(float (&d)[4], const uint32_t (&a)[4], const uint32_t* b);

template <>
DIETMT_DEVICE void multiply_add<BFloat16>(float (&d)[4], const uint32_t (&a)[4],
                                          const uint32_t* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <>
DIETMT_DEVICE void multiply_add<Half>(float (&d)[4], const uint32_t (&a)[4], const uint32_t* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

DIETMT_DEVICE void multiply_add_tf32(float (&d)[4], const uint32_t (&a)[4],
                                     const uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

DIETMT_DEVICE void copy_async(void* to, const void* from, bool valid) {
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(shared_address(to)), "l"(from), "r"(bytes)
               : "memory");
}

DIETMT_DEVICE void copy_async_cached(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;"
               :
               : "r"(shared_address(to)), "l"(from)
               : "memory");
}

DIETMT_DEVICE void copy_word_async(void* to, const void* from, bool valid) {
  const int bytes = valid ? 4 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
               :
               : "r"(shared_address(to)), "l"(from), "r"(bytes)
               : "memory");
}

DIETMT_DEVICE void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int kUnfinished>
DIETMT_DEVICE void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kUnfinished) : "memory");
}

DIETMT_DEVICE float exp2_fast(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

}  // namespace dietmt::kernels
