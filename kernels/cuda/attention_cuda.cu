#include <algorithm>

#include "kernels/cuda/attention_cuda.h"
#include "kernels/cuda/attention_driver.cuh"
#include "kernels/cuda/device_launcher.cuh"

namespace dietmt::kernels {

// Defined in the objects of attention_instance.cu.
#define DIETMT_DECLARE(element, width)                                                       \
  template <>                                                                                \
  void attention_forward_on<element, width>(const AttentionForward& call, void* stream);     \
  template <>                                                                                \
  void attention_backward_on<element, width>(const AttentionBackward& call, void* workspace, \
                                             void* stream);
DIETMT_DECLARE(BFloat16, 32)
DIETMT_DECLARE(BFloat16, 64)
DIETMT_DECLARE(BFloat16, 96)
DIETMT_DECLARE(BFloat16, 128)
DIETMT_DECLARE(Half, 32)
DIETMT_DECLARE(Half, 64)
DIETMT_DECLARE(Half, 96)
DIETMT_DECLARE(Half, 128)
#undef DIETMT_DECLARE

namespace {

template <int kWidth>
struct Width {};

/// run(Width<head width>()); false if there are no kernels for it.
template <typename Run>
bool with_width(int64_t width, const Run& run) {
  switch (width) {
    case 32:
      run(Width<32>());
      return true;
    case 64:
      run(Width<64>());
      return true;
    case 96:
      run(Width<96>());
      return true;
    case 128:
      run(Width<128>());
      return true;
    default:
      return false;
  }
}

/// run(E(), Width<head width>()).
template <typename Run>
void with_type_and_width(const AttentionForward& call, const Run& run) {
  const auto reasons = reasons_against_attention_cuda(call);
  if (!reasons.empty()) throw Error("CUDA attention cannot run: " + reasons.front());
  with_width(call.sizes.head_width, [&](auto width) {
    if (call.sizes.type == ElementType::kHalf) {
      run(Half(), width);
    } else {
      run(BFloat16(), width);
    }
  });
}

template <int kWidth>
int64_t largest_block(const AttentionForward& call) {
  return std::max({AttentionForwardBlock<BFloat16, kWidth>::shared_bytes({call, {}}),
                   BackwardTiles<BFloat16, kWidth, true>::shared_bytes(call),
                   BackwardTiles<BFloat16, kWidth, false>::shared_bytes(call)});
}

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  if (cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess) return 0;
  return value;
}

bool aligned(const HeadRows& rows) {
  return reinterpret_cast<uintptr_t>(rows.data) % 16 == 0 && rows.token_stride % 8 == 0;
}

}  // namespace

std::vector<std::string> reasons_against_attention_cuda(const AttentionForward& call) {
  std::vector<std::string> reasons;
  if (call.sizes.type == ElementType::kFloat) {
    reasons.push_back("the elements are float32, not bfloat16 or float16");
  }
  int64_t shared_bytes = 0;
  const bool has_width = with_width(call.sizes.head_width, [&]<int kWidth>(Width<kWidth>) {
    shared_bytes = largest_block<kWidth>(call);
  });
  if (!has_width) {
    reasons.push_back("the head width is " + std::to_string(call.sizes.head_width) +
                      ", not 32, 64, 96 or 128");
  }
  if (call.sizes.heads > kMaxHeads) {
    reasons.push_back(std::to_string(call.sizes.heads) + " heads are more than " +
                      std::to_string(kMaxHeads));
  }
  for (const HeadRows& rows : {call.queries, call.keys, call.values, call.output}) {
    if (aligned(rows)) continue;
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

void attention_forward_cuda(const AttentionForward& call, void* stream) {
  with_type_and_width(call, [&]<typename E, int kWidth>(E, Width<kWidth>) {
    attention_forward_on<E, kWidth>(call, stream);
  });
}

void attention_backward_cuda(const AttentionBackward& call, void* workspace, void* stream) {
  with_type_and_width(call.forward, [&]<typename E, int kWidth>(E, Width<kWidth>) {
    attention_backward_on<E, kWidth>(call, workspace, stream);
  });
}

size_t attention_workspace_cuda(const AttentionBackward& call) {
  return plan_backward(call, nullptr).workspace_bytes;
}

}  // namespace dietmt::kernels
