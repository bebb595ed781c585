// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA, without
// contraction of products and sums: integers have the same bits everywhere.
#include <limits>

#include "kernels/cpu/linear/linear_dots.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

/// Both write whole vectors: a prepared row is a multiple of all of them.
void round_row(const float* values, int64_t size, char* to) {
  auto* numbers = reinterpret_cast<BFloat16*>(to);
  for_vectors(size, [&](int64_t c, int64_t count) { store(numbers + c, load(values + c, count)); });
}

/// The largest lane; lanes are bits of floats without signs.
float largest_magnitude(IntVector lanes) {
  const auto larger_bits = [](Vector a, Vector b) {
    return reinterpret_cast<IntVector>(a) > reinterpret_cast<IntVector>(b) ? a : b;
  };
  return fold<kLanes / 2>(reinterpret_cast<Vector>(lanes), larger_bits,
                          std::make_index_sequence<kLanes>());
}

/// As bits: infinities and NaN are the largest.
float largest_magnitude(const float* values, int64_t size) {
  IntVector largest{};
  for_vectors(size, [&](int64_t c, int64_t count) {
    const IntVector bits = reinterpret_cast<IntVector>(load(values + c, count)) & 0x7fffffff;
    largest = bits > largest ? bits : largest;
  });
  return largest_magnitude(largest);
}

/// Integers with `added`, as unsigned bytes. x must be below 2^22.
void store_rounded(Vector x, int32_t added, char* to) {
  using Bytes = uint8_t __attribute__((vector_size(kLanes)));
  const IntVector offset = reinterpret_cast<IntVector>(broadcast(kRounder)) - added;
  const Bytes bytes =
      __builtin_convertvector(reinterpret_cast<IntVector>(x + kRounder) - offset, Bytes);
  std::memcpy(to, &bytes, sizeof bytes);
}

/// Both return the scale: NaN if a value is not finite, since integers cannot express that.
float quantize_row(const float* values, int64_t size, char* to) {
  const float maximum = largest_magnitude(values, size);
  const bool finite = maximum <= std::numeric_limits<float>::max();
  const bool zero = !finite || maximum < kSmallestMaximum;
  const float inverse = zero ? 0.0f : 127.0f / maximum;
  for_vectors(size, [&](int64_t c, int64_t count) {
    const Vector x = zero ? Vector{} : load(values + c, count);
    store_rounded(x * inverse, kByteOffset, to + c);
  });
  return finite ? maximum / 127.0f : std::numeric_limits<float>::quiet_NaN();
}

float quantize_row(const float* values, int64_t size, float multiplier, char* to) {
  const Vector most = broadcast(127.0f);
  for_vectors(size, [&](int64_t c, int64_t count) {
    Vector x = load(values + c, count) * multiplier;
    x = x < most ? x : most;
    store_rounded(x > -most ? x : -most, kShiftedOffset, to + c);
  });
  const bool finite = largest_magnitude(values, size) <= std::numeric_limits<float>::max();
  return finite ? 1.0f : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace

PreparedRows prepare_rows(WeightType type, int64_t rows, int64_t inputs, const float* values,
                          int64_t stride, void* storage, float multiplier) {
  if (type != WeightType::kFloat) {
    auto* scales = static_cast<float*>(storage);
    const int64_t to_stride = prepared_stride(type, inputs);
    char* to = static_cast<char*>(storage) + prepared_scales(type, rows);
    for (int64_t r = 0; r < rows; ++r) {
      if (type == WeightType::kInt8) {
        const float* row = values + r * stride;
        scales[r] = multiplier > 0.0f ? quantize_row(row, inputs, multiplier, to + r * to_stride)
                                      : quantize_row(row, inputs, to + r * to_stride);
      } else {
        round_row(values + r * stride, inputs, to + r * to_stride);
      }
    }
  }
  return {type, rows, inputs, values, stride, storage};
}

}  // namespace dietmt::kernels::DIETMT_ISA
