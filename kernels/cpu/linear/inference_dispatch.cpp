// Chooses the instruction set of the kernels of inference once, at the first call.
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernels/cpu/linear/inference_levels.h"

namespace dietmt::kernels {
namespace {

/// Whether the processor has tiles of int8 and bf16 (AMX) and this process may use them: Linux
/// keeps their state for processes that ask for it alone (ARCH_REQ_XCOMP_PERM of arch_prctl(2)).
bool may_use_tiles() {
  constexpr uint32_t kBFloat16 = 1u << 22, kTiles = 1u << 24, kInt8 = 1u << 25;
  constexpr uint32_t kNeeded = kBFloat16 | kTiles | kInt8;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || (edx & kNeeded) != kNeeded) return false;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

#define DIETMT_DECLARE(isa)                                                                     \
  namespace isa {                                                                               \
  PreparedRows prepare_rows(WeightType type, int64_t rows, int64_t inputs, const float* values, \
                            int64_t stride, void* storage);                                     \
  void linear(const LinearCall& call);                                                          \
  void select_tokens(const TokenSelection& call);                                               \
  }
DIETMT_DECLARE(generic)
DIETMT_DECLARE(avx2)
DIETMT_DECLARE(avx2_vnni)
DIETMT_DECLARE(avx512)
DIETMT_DECLARE(avx512_vnni)
DIETMT_DECLARE(avx512_bf16)
DIETMT_DECLARE(avx512_amx)
#undef DIETMT_DECLARE

#define DIETMT_LEVEL(isa, runs_here) \
  InferenceLevel { #isa, runs_here, isa::prepare_rows, isa::linear, isa::select_tokens }

std::span<const InferenceLevel> inference_levels() {
  __builtin_cpu_init();
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  static const bool has_avx512 =
      has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  static const bool has_vnni = has_avx512 && __builtin_cpu_supports("avx512vnni");
  static const bool has_bf16 = has_vnni && __builtin_cpu_supports("avx512bf16");
  static const InferenceLevel levels[] = {
      DIETMT_LEVEL(generic, true),
      DIETMT_LEVEL(avx2, has_avx2),
      DIETMT_LEVEL(avx2_vnni, has_avx2 && __builtin_cpu_supports("avxvnni")),
      DIETMT_LEVEL(avx512, has_avx512),
      DIETMT_LEVEL(avx512_vnni, has_vnni),
      DIETMT_LEVEL(avx512_bf16, has_bf16),
      DIETMT_LEVEL(avx512_amx, has_bf16 && may_use_tiles()),
  };
  return levels;
}
#undef DIETMT_LEVEL

namespace {

const InferenceLevel& best_level() {
  const std::span<const InferenceLevel> levels = inference_levels();
  size_t best = levels.size() - 1;
  while (!levels[best].runs_here) --best;
  return levels[best];
}

const InferenceLevel& level() {
  static const InferenceLevel& chosen = best_level();
  return chosen;
}

}  // namespace

PreparedRows prepare_rows(WeightType type, int64_t rows, int64_t inputs, const float* values,
                          int64_t stride, void* storage) {
  return level().prepare_rows(type, rows, inputs, values, stride, storage);
}
void linear(const LinearCall& call) { level().linear(call); }
void select_tokens(const TokenSelection& call) { level().select_tokens(call); }

}  // namespace dietmt::kernels
