// Calls the kernels of a decoding step of the chosen instruction set.
#include "kernels/cpu/step/levels.h"

namespace dietmt::kernels {

#define DIETMT_DECLARE(isa)                                               \
  namespace isa {                                                         \
  int64_t step_attention_workspace(const StepAttention& call);            \
  void step_attention(CacheType, std::span<const StepAttention>, float*); \
  void cache_row(CacheType, int64_t, int64_t, const float*, void*);       \
  void cache_column(CacheType, int64_t, const float*, int64_t, void*);    \
  }
DIETMT_DECLARE(generic)
DIETMT_DECLARE(avx2)
DIETMT_DECLARE(avx512)
#undef DIETMT_DECLARE

#define DIETMT_LEVEL(isa)                                                           \
  StepKernels {                                                                     \
    find_instruction_set(#isa), isa::step_attention_workspace, isa::step_attention, \
        isa::cache_row, isa::cache_column                                           \
  }

std::span<const StepKernels> step_levels() {
  static const StepKernels levels[] = {DIETMT_LEVEL(generic), DIETMT_LEVEL(avx2),
                                       DIETMT_LEVEL(avx512)};
  return levels;
}
#undef DIETMT_LEVEL

namespace {

const StepKernels& chosen() {
  static const StepKernels& level = best_level(step_levels());
  return level;
}

}  // namespace

int64_t step_attention_workspace(const StepAttention& call) {
  return chosen().attention_workspace(call);
}
void step_attention(CacheType cache, std::span<const StepAttention> calls, float* workspace) {
  chosen().attention(cache, calls, workspace);
}
void cache_row(CacheType type, int64_t heads, int64_t head_width, const float* from, void* row) {
  chosen().cache_row(type, heads, head_width, from, row);
}
void cache_column(CacheType type, int64_t keys, const float* from, int64_t stride, void* column) {
  chosen().cache_column(type, keys, from, stride, column);
}

}  // namespace dietmt::kernels
