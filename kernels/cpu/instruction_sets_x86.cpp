#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "kernels/cpu/instruction_sets.h"

namespace dietmt::kernels {
namespace {

/// Whether the processor has AMX tiles of int8 and bf16 and this process may use them. Linux keeps
/// their state only for processes that ask for it (ARCH_REQ_XCOMP_PERM of arch_prctl(2)).
bool may_use_tiles() {
  constexpr uint32_t kBFloat16 = 1u << 22, kTiles = 1u << 24, kInt8 = 1u << 25;
  constexpr uint32_t kNeeded = kBFloat16 | kTiles | kInt8;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || (edx & kNeeded) != kNeeded) return false;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// Clang 16 has no name of it for __builtin_cpu_supports().
bool has_avx_vnni() {
  constexpr uint32_t kAvxVnni = 1u << 4;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && (eax & kAvxVnni) != 0;
}

}  // namespace

std::span<const InstructionSet> instruction_sets() {
  __builtin_cpu_init();
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  static const bool has_avx512 =
      has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  static const bool has_vnni = has_avx512 && __builtin_cpu_supports("avx512vnni");
  static const bool has_bf16 = has_vnni && __builtin_cpu_supports("avx512bf16");
  static const InstructionSet sets[] = {
      {"generic", true},
      {"avx2", has_avx2},
      {"avx2_vnni", has_avx2 && has_avx_vnni()},
      {"avx512", has_avx512},
      {"avx512_vnni", has_vnni},
      {"avx512_bf16", has_bf16},
      {"avx512_amx", has_bf16 && may_use_tiles()},
  };
  return sets;
}

}  // namespace dietmt::kernels
