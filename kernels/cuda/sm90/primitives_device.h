// sm90/primitives.h on the device: inline PTX for sm_90a.
#pragma once

#include "kernels/cuda/primitives_device.h"

namespace dietmt::kernels {

DIETMT_DEVICE void init_barrier(TransactionBarrier* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}

DIETMT_DEVICE void arrive(TransactionBarrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
               :
               : "r"(shared_address(barrier))
               : "memory");
}

DIETMT_DEVICE void arrive_expecting(TransactionBarrier* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

DIETMT_DEVICE void wait_barrier(TransactionBarrier* barrier, int parity) {
  uint32_t ended = 0;
  while (ended == 0) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n"
        "}"
        : "=r"(ended)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  }
}

DIETMT_DEVICE void load_box(void* to, const TensorMap& map, const int (&at)[3],
                            TransactionBarrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];"
      :
      : "r"(shared_address(to)), "l"(&map), "r"(shared_address(barrier)), "r"(at[0]), "r"(at[1]),
        "r"(at[2])
      : "memory");
}

DIETMT_DEVICE void fence_async_proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

DIETMT_DEVICE void sync_warpgroup(int barrier) {
  asm volatile("bar.sync %0, %1;" : : "r"(barrier), "n"(kWarpgroupThreads) : "memory");
}

template <int kCount>
DIETMT_DEVICE void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
}

template <int kCount>
DIETMT_DEVICE void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
}

/// Keeps the compiler from moving accesses to registers past this place: it does not know that
/// products read and write them later.
template <int kCount>
DIETMT_DEVICE void pin(float (&registers)[kCount]) {
  DIETMT_UNROLL
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(registers[i]) : : "memory");
}

template <int kCount>
DIETMT_DEVICE void pin(uint32_t (&registers)[kCount]) {
  DIETMT_UNROLL
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+r"(registers[i]) : : "memory");
}

template <typename... Registers>
DIETMT_DEVICE void begin_multiplies(Registers&... registers) {
  (pin(registers), ...);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

DIETMT_DEVICE void commit_multiplies() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int kUnfinished, typename... Registers>
DIETMT_DEVICE void wait_multiplies(Registers&... registers) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kUnfinished) : "memory");
  (pin(registers), ...);
}

// The registers of d in groups of 32, as operands.
#define DIETMT_SUMS_8(i)                                                                      \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define DIETMT_SUMS_32(i) \
  DIETMT_SUMS_8(i), DIETMT_SUMS_8(i + 8), DIETMT_SUMS_8(i + 16), DIETMT_SUMS_8(i + 24)
#define DIETMT_NAMES_0_31                                                                      \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, " \
  "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define DIETMT_NAMES_32_63                                                                     \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, " \
  "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

// The products of one element type, "bf16" or "f16".
#define DIETMT_MULTIPLIES(E, TYPE)                                                          \
  template <>                                                                               \
  DIETMT_DEVICE void multiply_shared<E>(float(&d)[32], uint64_t a, uint64_t b, bool add) {  \
    asm volatile(                                                                           \
        "{\n"                                                                               \
        ".reg .pred p;\n"                                                                   \
        "setp.ne.b32 p, %34, 0;\n"                                                          \
        "wgmma.mma_async.sync.aligned.m64n64k16.f32." TYPE "." TYPE " {" DIETMT_NAMES_0_31  \
        "}, %32, %33, p, 1, 1, 0, 0;\n"                                                     \
        "}"                                                                                 \
        : DIETMT_SUMS_32(0)                                                                 \
        : "l"(a), "l"(b), "r"(add ? 1 : 0));                                                \
  }                                                                                         \
  template <>                                                                               \
  DIETMT_DEVICE void multiply_registers<E>(float(&d)[32], const uint32_t* a, uint64_t b) {  \
    asm volatile(                                                                           \
        "{\n"                                                                               \
        ".reg .pred p;\n"                                                                   \
        "setp.ne.b32 p, 1, 0;\n"                                                            \
        "wgmma.mma_async.sync.aligned.m64n64k16.f32." TYPE "." TYPE " {" DIETMT_NAMES_0_31  \
        "}, {%32, %33, %34, %35}, %36, p, 1, 1, 1;\n"                                       \
        "}"                                                                                 \
        : DIETMT_SUMS_32(0)                                                                 \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                              \
  }                                                                                         \
  template <>                                                                               \
  DIETMT_DEVICE void multiply_registers<E>(float(&d)[64], const uint32_t* a, uint64_t b) {  \
    asm volatile(                                                                           \
        "{\n"                                                                               \
        ".reg .pred p;\n"                                                                   \
        "setp.ne.b32 p, 1, 0;\n"                                                            \
        "wgmma.mma_async.sync.aligned.m64n128k16.f32." TYPE "." TYPE " {" DIETMT_NAMES_0_31 \
        ", " DIETMT_NAMES_32_63                                                             \
        "}, {%64, %65, %66, %67}, %68, p, 1, 1, 1;\n"                                       \
        "}"                                                                                 \
        : DIETMT_SUMS_32(0), DIETMT_SUMS_32(32)                                             \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                              \
  }

template <typename E>
DIETMT_DEVICE void multiply_shared(float (&d)[32], uint64_t a, uint64_t b, bool add);

template <typename E>
DIETMT_DEVICE void multiply_registers(float (&d)[32], const uint32_t* a, uint64_t b);

template <typename E>
DIETMT_DEVICE void multiply_registers(float (&d)[64], const uint32_t* a, uint64_t b);

DIETMT_MULTIPLIES(BFloat16, "bf16")
DIETMT_MULTIPLIES(Half, "f16")

#undef DIETMT_SUMS_8
#undef DIETMT_SUMS_32
#undef DIETMT_NAMES_0_31
#undef DIETMT_NAMES_32_63
#undef DIETMT_MULTIPLIES

}  // namespace dietmt::kernels
