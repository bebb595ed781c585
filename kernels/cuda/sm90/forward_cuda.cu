#include <cuda.h>
#include <cuda_runtime_api.h>

#include "kernels/cuda/device_launcher.cuh"
#include "kernels/cuda/sm90/attention_forward.cuh"
#include "kernels/cuda/sm90/forward_cuda.h"

namespace dietmt::kernels {
namespace {

using EncodeTiled = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                                 const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                                 const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/// Of the driver, which the runtime has loaded; null if it is older than 12.0.
EncodeTiled encode_tiled() {
  constexpr unsigned kVersion = 12000;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                              kVersion, cudaEnableDefault, &found);
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess) return nullptr;
  return reinterpret_cast<EncodeTiled>(function);
}

CUtensorMapSwizzle driver_swizzle(Swizzle swizzle) {
  switch (swizzle) {
    case Swizzle::k128Bytes:
      return CU_TENSOR_MAP_SWIZZLE_128B;
    case Swizzle::k64Bytes:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case Swizzle::k32Bytes:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    default:
      return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

/// 9.0 is 90; 0 if no device is there.
int compute_capability() {
  int device = 0;
  int major = 0;
  int minor = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) {
    return 0;
  }
  return 10 * major + minor;
}

template <typename E, int kWidth>
void launch(const AttentionForward& call, DeviceLauncher& launcher) {
  const WarpgroupForwardArguments arguments = plan_warpgroup_forward(call);
  const BlockIndex grid = forward_grid(call.sizes);
  if (term_class(call.terms.tables) == TermClass::kPlain) {
    launcher.launch<WarpgroupForwardBlock<E, kWidth, TermClass::kPlain>>(grid, arguments);
  } else {
    launcher.launch<WarpgroupForwardBlock<E, kWidth, TermClass::kOffsetBias>>(grid, arguments);
  }
}

template <typename E>
void launch(const AttentionForward& call, DeviceLauncher& launcher) {
  if (kernel_width(call.sizes.head_width) == 64) return launch<E, 64>(call, launcher);
  launch<E, 128>(call, launcher);
}

}  // namespace

static_assert(sizeof(TensorMap) == sizeof(CUtensorMap));

TensorMap encode_tensor_map(const TensorLayout& layout) {
  static const EncodeTiled encode = encode_tiled();
  if (encode == nullptr) throw Error("the CUDA driver is older than 12.0");
  cuuint64_t sizes[3];
  cuuint64_t strides[2];
  cuuint32_t box[3];
  for (int i = 0; i < 3; ++i) {
    sizes[i] = static_cast<cuuint64_t>(layout.sizes[i]);
    box[i] = static_cast<cuuint32_t>(layout.box[i]);
  }
  for (int i = 0; i < 2; ++i) strides[i] = static_cast<cuuint64_t>(layout.strides[i]);
  const cuuint32_t every[3] = {1, 1, 1};
  const CUtensorMapDataType type = layout.type == ElementType::kHalf
                                       ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                       : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  alignas(64) CUtensorMap made;
  const CUresult status =
      encode(&made, type, 3, const_cast<void*>(layout.data), sizes, strides, box, every,
             CU_TENSOR_MAP_INTERLEAVE_NONE, driver_swizzle(layout.swizzle),
             CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) {
    throw Error("cuTensorMapEncodeTiled refused a tensor: error " + std::to_string(status));
  }
  TensorMap map;
  memcpy(&map, &made, sizeof map);
  return map;
}

std::vector<std::string> reasons_against_warpgroup_cuda(const AttentionForward& call) {
  std::vector<std::string> reasons = reasons_against_warpgroup_forward(call);
  static const bool has_driver = encode_tiled() != nullptr;
  if (compute_capability() != 90) {
    reasons.push_back("the device does not have compute capability 9.0");
  } else if (!has_driver) {
    reasons.push_back("the CUDA driver is older than 12.0");
  }
  return reasons;
}

void warpgroup_forward_cuda(const AttentionForward& call, void* stream) {
  const auto reasons = reasons_against_warpgroup_cuda(call);
  if (!reasons.empty()) throw Error("attention by wgmma cannot run: " + reasons.front());
  if (call.sizes.device_query_tiles.count == 0) return;
  DeviceLauncher launcher(stream);
  if (call.sizes.type == ElementType::kHalf) return launch<Half>(call, launcher);
  launch<BFloat16>(call, launcher);
}

}  // namespace dietmt::kernels
