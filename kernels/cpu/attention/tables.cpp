// The attention kernels of each instruction set, and the best of them.
#include "common/error.h"
#include "kernels/attention.h"
#include "kernels/cpu/instruction_sets.h"

namespace dietmt::kernels {

namespace generic {
extern const AttentionKernels kAttention;
}
namespace avx2 {
extern const AttentionKernels kAttention;
}
namespace avx512 {
extern const AttentionKernels kAttention;
}

std::span<const AttentionKernels* const> attention_tables() {
  static constexpr const AttentionKernels* kTables[] = {&generic::kAttention, &avx2::kAttention,
                                                        &avx512::kAttention};
  return kTables;
}

const AttentionKernels& attention_kernels() {
  static const AttentionKernels& best = best_table(attention_tables());
  return best;
}

namespace {

void require_known_type(ElementType type) {
  if (type == ElementType::kHalf)
    throw Error("attention in fp16 needs a GPU: use fp32 or bf16 on the CPU");
}

}  // namespace

void attention_forward_cpu(const AttentionForward& call) {
  require_known_type(call.sizes.type);
  attention_kernels().forward(call);
}

void attention_backward_cpu(const AttentionBackward& call) {
  require_known_type(call.forward.sizes.type);
  attention_kernels().backward(call);
}

}  // namespace dietmt::kernels
