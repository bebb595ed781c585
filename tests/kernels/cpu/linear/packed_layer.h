// Shared by the tests of packed layers: random layers, their rounded weights, and their outputs.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "common/random.h"
#include "kernels/packed_linear.h"
#include "tests/kernels/cpu/kernel_test.h"

namespace dietmt::kernels {

using Values = std::vector<float>;

inline Values random_values(int64_t size, uint64_t seed) { return random_numbers(size, seed, 1.0); }

/// A layer and its memory.
struct Packed {
  Packed(WeightType type, int64_t outputs, int64_t inputs, const Values& weights, int64_t stride)
      : panels(allocate(packed_bytes(type, outputs, inputs))),
        scales(unsigned_of(outputs)),
        sums(unsigned_of(outputs)) {
    const bool integers = type == WeightType::kInt8;
    pack_weights(type, outputs, inputs, weights.data(), stride, panels.get(),
                 integers ? scales.data() : nullptr, integers ? sums.data() : nullptr);
    layer = {type, outputs, inputs, panels.get(), scales.data(), sums.data()};
  }
  Bytes panels;
  Values scales;
  std::vector<int32_t> sums;
  PackedWeights layer;
};

/// The values of a row in this type: bf16 rounded, int8 quantized per row.
inline std::vector<double> rounded_row(WeightType type, const float* row, int64_t size) {
  double largest = 0;
  for (int64_t k = 0; k < size; ++k) largest = std::max(largest, std::fabs(double{row[k]}));
  std::vector<double> rounded;
  for (int64_t k = 0; k < size; ++k) {
    double x = row[k];
    if (type == WeightType::kBFloat16 && x != 0.0) {
      const double unit = std::ldexp(1.0, std::ilogb(x) - 7);
      x = std::nearbyint(x / unit) * unit;
    }
    if (type == WeightType::kInt8 && largest > 0.0)
      x = std::nearbyint(row[k] * (127.0f / static_cast<float>(largest))) * largest / 127.0;
    rounded.push_back(x);
  }
  return rounded;
}

inline std::string name_of(WeightType type) {
  return type == WeightType::kFloat ? "fp32" : type == WeightType::kInt8 ? "int8" : "bf16";
}

/// The layer's outputs for these rows.
inline Values outputs_of(const LinearKernels& level, const PackedWeights& layer, int64_t rows,
                         const Values& inputs, const float* bias = nullptr) {
  const Bytes storage = allocate(prepared_bytes(layer.type, rows, layer.inputs));
  const PreparedRows prepared =
      level.prepare_rows(layer.type, rows, layer.inputs, inputs.data(), layer.inputs, storage.get(),
                         layer.input_multiplier);
  Values output(unsigned_of(rows * layer.outputs));
  level.linear({.weights = &layer,
                .input = &prepared,
                .bias = bias,
                .output = output.data(),
                .output_stride = layer.outputs});
  return output;
}

}  // namespace dietmt::kernels
