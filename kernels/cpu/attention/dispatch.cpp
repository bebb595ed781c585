// Calls the attention kernels of the chosen instruction set.
#include "kernels/cpu/attention/levels.h"

namespace dietmt::kernels {

#define DIETMT_DECLARE(isa)                               \
  namespace isa {                                         \
  void attention_forward(const AttentionForward& call);   \
  void attention_backward(const AttentionBackward& call); \
  }
DIETMT_DECLARE(generic)
DIETMT_DECLARE(avx2)
DIETMT_DECLARE(avx512)
#undef DIETMT_DECLARE

#define DIETMT_LEVEL(isa) \
  AttentionKernels { find_instruction_set(#isa), isa::attention_forward, isa::attention_backward }

std::span<const AttentionKernels> attention_levels() {
  static const AttentionKernels levels[] = {DIETMT_LEVEL(generic), DIETMT_LEVEL(avx2),
                                            DIETMT_LEVEL(avx512)};
  return levels;
}
#undef DIETMT_LEVEL

namespace {

const AttentionKernels& chosen() {
  static const AttentionKernels& level = best_level(attention_levels());
  return level;
}

}  // namespace

void attention_forward_cpu(const AttentionForward& call) { chosen().forward(call); }
void attention_backward_cpu(const AttentionBackward& call) { chosen().backward(call); }

}  // namespace dietmt::kernels
