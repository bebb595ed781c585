#include "common/error.h"
#include "kernels/attention.h"

namespace dietmt::kernels {
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
