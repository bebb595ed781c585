#include <cuda_runtime_api.h>

#include "common/error.h"
#include "kernels/cuda/attention_cuda.h"
#include "kernels/cuda/attention_instance.cuh"

namespace dietmt::kernels {

namespace {

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  if (cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess) return 0;
  return value;
}

void throw_if_any_reason(const std::vector<std::string>& reasons) {
  if (!reasons.empty()) throw Error("CUDA attention cannot run: " + reasons.front());
}

bool aligned(const HeadRows& rows, ElementType type) {
  const int64_t bytes = type == ElementType::kFloat ? 4 : 2;
  return reinterpret_cast<uintptr_t>(rows.data) % 16 == 0 && rows.token_stride * bytes % 16 == 0;
}

}  // namespace

std::vector<std::string> reasons_against_attention_cuda(const AttentionForward& call) {
  std::vector<std::string> reasons;
  int64_t shared_bytes = 0;
  if (kernel_width(call.sizes.head_width, call.sizes.type) == 0) {
    reasons.push_back("the head width is " + std::to_string(call.sizes.head_width) +
                      ", not a multiple of 8 up to 128");
  } else {
    with_instance<AttentionInstance>(
        call, [&](auto instance) { shared_bytes = instance.shared_bytes(call); });
  }
  if (call.sizes.heads > kMaxHeads) {
    reasons.push_back(std::to_string(call.sizes.heads) + " heads are more than " +
                      std::to_string(kMaxHeads));
  }
  for (const HeadRows& rows : {call.queries, call.keys, call.values, call.output}) {
    if (aligned(rows, call.sizes.type)) continue;
    reasons.push_back("the rows of queries, keys, values or output do not begin at 16 bytes");
    break;
  }
  if (device_attribute(cudaDevAttrComputeCapabilityMajor) < 8) {
    reasons.push_back("the device has a compute capability below 8.0");
  } else if (device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) < shared_bytes) {
    reasons.push_back("the device has less than " + std::to_string(shared_bytes) +
                      " bytes of shared memory for a block");
  }
  return reasons;
}

void attention_forward_cuda(const AttentionForward& call, void* workspace, void* stream) {
  throw_if_any_reason(reasons_against_attention_cuda(call));
  with_instance<AttentionInstance>(
      call, [&](auto instance) { instance.forward(call, workspace, stream); });
}

void attention_backward_cuda(const AttentionBackward& call, void* workspace, void* stream) {
  std::vector<std::string> reasons = reasons_against_attention_cuda(call.forward);
  if (!aligned(call.grad_output, call.forward.sizes.type)) {
    reasons.push_back("the rows of grad_output do not begin at 16 bytes");
  }
  throw_if_any_reason(reasons);
  with_instance<AttentionInstance>(
      call.forward, [&](auto instance) { instance.backward(call, workspace, stream); });
}

size_t attention_workspace_cuda(const AttentionForward& call) {
  return plan_forward(call, nullptr).workspace_bytes;
}

size_t attention_workspace_cuda(const AttentionBackward& call) {
  return plan_backward(call, nullptr).workspace_bytes;
}

}  // namespace dietmt::kernels
