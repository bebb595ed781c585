// Calls the kernels of packed layers and of the vocabulary of the chosen instruction set.
#include "kernels/cpu/linear/levels.h"

namespace dietmt::kernels {

#define DIETMT_DECLARE(isa)                                                                     \
  namespace isa {                                                                               \
  PreparedRows prepare_rows(WeightType type, int64_t rows, int64_t inputs, const float* values, \
                            int64_t stride, void* storage, float multiplier);                   \
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

#define DIETMT_LEVEL(isa) \
  LinearKernels { find_instruction_set(#isa), isa::prepare_rows, isa::linear, isa::select_tokens }

std::span<const LinearKernels> linear_levels() {
  static const LinearKernels levels[] = {
      DIETMT_LEVEL(generic),    DIETMT_LEVEL(avx2),        DIETMT_LEVEL(avx2_vnni),
      DIETMT_LEVEL(avx512),     DIETMT_LEVEL(avx512_vnni), DIETMT_LEVEL(avx512_bf16),
      DIETMT_LEVEL(avx512_amx),
  };
  return levels;
}
#undef DIETMT_LEVEL

namespace {

const LinearKernels& chosen() {
  static const LinearKernels& level = best_level(linear_levels());
  return level;
}

}  // namespace

PreparedRows prepare_rows(WeightType type, int64_t rows, int64_t inputs, const float* values,
                          int64_t stride, void* storage, float multiplier) {
  return chosen().prepare_rows(type, rows, inputs, values, stride, storage, multiplier);
}
void linear(const LinearCall& call) { chosen().linear(call); }
void select_tokens(const TokenSelection& call) { chosen().select_tokens(call); }

}  // namespace dietmt::kernels
