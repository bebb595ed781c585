// The layout of packed weights and prepared rows (kernels/packed_linear.h), the same for
// every instruction set. A group is as many numbers of a row as fill 32 bits.
#pragma once

#include <cstdint>

#include "kernels/packed_linear.h"

namespace dietmt::kernels {

constexpr int64_t round_up(int64_t size, int64_t step) { return (size + step - 1) / step * step; }

constexpr int64_t kGroupBytes = 4;
constexpr int64_t kPanelStep = kPanelOutputs * kGroupBytes;  // bytes of a group of all outputs

constexpr int64_t group_size(WeightType type) {
  return type == WeightType::kInt8 ? 4 : type == WeightType::kBFloat16 ? 2 : 1;
}
constexpr int64_t groups_of(WeightType type, int64_t inputs) {
  return round_up(inputs, group_size(type)) / group_size(type);
}

/// Bytes from row to row of prepared integers or bf16: an odd number of cache lines, so that the
/// rows of a block do not compete for the same cache lines.
constexpr int64_t prepared_stride(WeightType type, int64_t inputs) {
  return (round_up(groups_of(type, inputs) * kGroupBytes, 64) / 64 | 1) * 64;
}

/// Bytes of the scales, which precede the integers.
constexpr int64_t prepared_scales(WeightType type, int64_t rows) {
  return type == WeightType::kInt8 ? round_up(rows * 4, 64) : 0;
}

/// Integers of the inputs are stored with this added, as unsigned bytes.
constexpr int32_t kByteOffset = 128;
constexpr int32_t kShiftedOffset = 127;  // of layers with one multiplier for all inputs

/// Adding it rounds a float below 2^22 to the nearest whole number, ties to even; the integer is
/// then the difference of the bits.
constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23

/// Rows with a smaller maximum count as zeros, since 127 / maximum would be infinite.
constexpr float kSmallestMaximum = 1e-36f;

}  // namespace dietmt::kernels
