// Calls the attention kernels of the chosen instruction set, and deals out the backward pass.
#include <algorithm>

#include "common/error.h"
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

void require_known_type(ElementType type) {
  if (type == ElementType::kHalf)
    throw Error("attention in fp16 needs a GPU: use fp32 or bf16 on the CPU");
}

}  // namespace

void attention_forward_cpu(const AttentionForward& call) {
  require_known_type(call.sizes.type);
  chosen().forward(call);
}
void attention_backward_cpu(const AttentionBackward& call) {
  require_known_type(call.forward.sizes.type);
  chosen().backward(call);
}

int64_t parts_of_batch(const BackwardWork& work) {
  if (work.block == 0) return work.sentences;
  // Clearing and adding up a block costs little beside the scores of a few sentences.
  constexpr int64_t kSentences = 4, kUnits = 64;
  constexpr int64_t kNumbers = 1 << 20;
  const int64_t wanted = std::max(kUnits / work.heads, (work.sentences - 1) / kSentences + 1);
  const int64_t numbers = std::max(kNumbers, 2 * work.queries * work.heads * work.head_width);
  const int64_t affordable = numbers / (work.heads * work.block);
  return std::clamp<int64_t>(std::min(wanted, affordable), 1, std::max<int64_t>(work.sentences, 1));
}

}  // namespace dietmt::kernels
