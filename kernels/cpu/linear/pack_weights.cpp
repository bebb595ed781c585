// Packing for all instruction sets: compiled once, so that stored weights are the same everywhere.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "common/error.h"
#include "kernels/cpu/linear/linear_storage.h"

namespace dietmt::kernels {
namespace {

/// Nearest, ties to even; NaN stays NaN.
uint16_t bfloat16_of(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  if (x != x) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void require_exact_sums(int64_t inputs) {
  if (inputs > kMostInt8Inputs)
    throw ConfigError("int8 layers have at most " + std::to_string(kMostInt8Inputs) +
                      " inputs, not " + std::to_string(inputs) + ": use bf16 or fp32 weights");
}

struct RowScale {
  float scale;    // NaN if a weight is not finite
  float inverse;  // 0 if all weights are 0
};

RowScale row_scale(const float* row, int64_t size) {
  uint32_t largest = 0;  // as bits: infinities and NaN are the largest
  for (int64_t k = 0; k < size; ++k)
    largest = std::max(largest, std::bit_cast<uint32_t>(row[k]) & 0x7fffffffu);
  const auto maximum = std::bit_cast<float>(largest);
  if (!std::isfinite(maximum)) return {std::numeric_limits<float>::quiet_NaN(), 0.0f};
  return {maximum / 127.0f, maximum < kSmallestMaximum ? 0.0f : 127.0f / maximum};
}

int8_t integer_of(float x, const RowScale& scale) {
  if (scale.inverse == 0.0f) return 0;
  return static_cast<int8_t>(std::bit_cast<int32_t>(x * scale.inverse + kRounder) -
                             std::bit_cast<int32_t>(kRounder));
}

/// `encode(n, k)` gives the number that is stored for w[n, k].
template <typename Number, typename Encode>
void fill_panels(WeightType type, int64_t outputs, int64_t inputs, void* panels, Encode encode) {
  const int64_t group = group_size(type);
  auto* to = static_cast<Number*>(panels);
  for (int64_t first = 0; first < outputs; first += kPanelOutputs) {
    for (int64_t k = 0; k < inputs; k += group) {
      for (int64_t n = first; n < first + kPanelOutputs; ++n) {
        for (int64_t i = k; i < k + group; ++i)
          *to++ = n < outputs && i < inputs ? encode(n, i) : Number{};
      }
    }
  }
}

void pack_rounded(int64_t outputs, int64_t inputs, const float* weights, int64_t stride,
                  void* panels, float* scales, int32_t* sums) {
  require_exact_sums(inputs);
  RowScale panel[kPanelOutputs];
  std::fill_n(sums, outputs, 0);
  fill_panels<int8_t>(WeightType::kInt8, outputs, inputs, panels, [&](int64_t n, int64_t k) {
    RowScale& scale = panel[n % kPanelOutputs];
    if (k == 0) {
      scale = row_scale(weights + n * stride, inputs);
      scales[n] = scale.scale;
    }
    const int8_t integer = integer_of(weights[n * stride + k], scale);
    sums[n] += integer;
    return integer;
  });
}

/// The first group of an output; each next one is kPanelOutputs groups further.
const uint32_t* groups_at(const PackedWeights& weights, int64_t output) {
  const int64_t panel = output / kPanelOutputs * groups_of(weights.type, weights.inputs);
  return static_cast<const uint32_t*>(weights.panels) + panel * kPanelOutputs +
         output % kPanelOutputs;
}

}  // namespace

size_t packed_bytes(WeightType type, int64_t outputs, int64_t inputs) {
  return static_cast<size_t>(round_up(outputs, kPanelOutputs) * groups_of(type, inputs) *
                             kGroupBytes);
}

void pack_weights(WeightType type, int64_t outputs, int64_t inputs, const float* weights,
                  int64_t stride, void* panels, float* scales, int32_t* sums) {
  switch (type) {
    case WeightType::kFloat:
      return fill_panels<float>(type, outputs, inputs, panels,
                                [&](int64_t n, int64_t k) { return weights[n * stride + k]; });
    case WeightType::kBFloat16:
      return fill_panels<uint16_t>(type, outputs, inputs, panels, [&](int64_t n, int64_t k) {
        return bfloat16_of(weights[n * stride + k]);
      });
    case WeightType::kInt8:
      return pack_rounded(outputs, inputs, weights, stride, panels, scales, sums);
  }
}

void pack_integers(int64_t outputs, int64_t inputs, const int8_t* integers, void* panels,
                   int32_t* sums) {
  require_exact_sums(inputs);
  std::fill_n(sums, outputs, 0);
  fill_panels<int8_t>(WeightType::kInt8, outputs, inputs, panels, [&](int64_t n, int64_t k) {
    const int8_t integer = integers[n * inputs + k];
    sums[n] += integer;
    return integer;
  });
}

void unpack_output(const PackedWeights& weights, int64_t output, float* row) {
  const uint32_t* group = groups_at(weights, output);
  const int64_t size = group_size(weights.type);
  const float* scales = weights.row_scales != nullptr ? weights.row_scales : weights.scales;
  for (int64_t k = 0; k < weights.inputs; k += size, group += kPanelOutputs) {
    for (int64_t i = 0; i < std::min(size, weights.inputs - k); ++i) {
      switch (weights.type) {
        case WeightType::kFloat:
          row[k] = std::bit_cast<float>(*group);
          break;
        case WeightType::kBFloat16:
          row[k + i] = std::bit_cast<float>(*group >> (16 * i) << 16);
          break;
        case WeightType::kInt8:
          row[k + i] = static_cast<float>(static_cast<int8_t>(*group >> (8 * i))) * scales[output];
          break;
      }
    }
  }
}

void gather_outputs(const PackedWeights& weights, std::span<const int32_t> outputs, void* panels,
                    float* scales, int32_t* sums) {
  const int64_t groups = groups_of(weights.type, weights.inputs);
  const auto count = static_cast<int64_t>(outputs.size());
  auto* to = static_cast<uint32_t*>(panels);
  for (int64_t first = 0; first < count; first += kPanelOutputs) {
    const int64_t lanes = std::min(kPanelOutputs, count - first);
    const uint32_t* from[kPanelOutputs];
    for (int64_t n = 0; n < lanes; ++n)
      from[n] = groups_at(weights, outputs[static_cast<size_t>(first + n)]);
    for (int64_t g = 0; g < groups; ++g, to += kPanelOutputs) {
      for (int64_t n = 0; n < lanes; ++n) to[n] = from[n][g * kPanelOutputs];
      std::fill(to + lanes, to + kPanelOutputs, 0);
    }
  }
  if (weights.type != WeightType::kInt8) return;
  for (const int32_t output : outputs) {
    *scales++ = weights.scales[output];
    *sums++ = weights.sums[output];
  }
}

size_t prepared_bytes(WeightType type, int64_t rows, int64_t inputs) {
  if (type == WeightType::kFloat) return 0;
  return static_cast<size_t>(prepared_scales(type, rows) + rows * prepared_stride(type, inputs));
}

}  // namespace dietmt::kernels
