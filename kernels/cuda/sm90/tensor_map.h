// A tensor as the copy engine (TMA) sees it: three dimensions, the innermost contiguous, cut into
// boxes that arrive in shared memory with their rows one after the other, swizzled.
#pragma once

#include <cstdint>

#include "kernels/attention.h"
#include "kernels/cuda/sm90/primitives.h"

namespace dietmt::kernels {

/// A tensor of 16-bit elements. Dimensions from the innermost on.
struct TensorLayout {
  const void* data = nullptr;  // at 16 bytes
  ElementType type = ElementType::kBFloat16;
  Swizzle swizzle = Swizzle::k128Bytes;
  int64_t sizes[3] = {};    // elements
  int64_t strides[2] = {};  // bytes, multiples of 16, of the second and third dimension
  int32_t box[3] = {};      // elements; a row of a box has at most swizzle_bytes()
};

/// By the driver, for the current device; on the host by the emulation. Throws Error if the driver
/// is older than 12.0 or refuses.
TensorMap encode_tensor_map(const TensorLayout& layout);
bool can_encode_tensor_maps();

}  // namespace dietmt::kernels
