#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>

#include "common/error.h"
#include "kernels/cuda/sm90/tensor_map.h"

namespace dietmt::kernels {
namespace {

using EncodeTiled = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                                 const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                                 const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/// The driver's entry point, which the runtime has loaded; null before version 12.0.
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
  std::memcpy(&map, &made, sizeof map);
  return map;
}

bool can_encode_tensor_maps() { return encode_tiled() != nullptr; }

}  // namespace dietmt::kernels
