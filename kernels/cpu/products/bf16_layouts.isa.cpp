// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include "kernels/bf16_layouts.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/transpose.h"
#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

// The numbers of x as the upper halves of fp32 numbers, which they are.
UintVector bits_of(const BFloat16* x, int64_t count) {
  return reinterpret_cast<UintVector>(load(x, count));
}

void pair_rows(const BFloat16* from, int64_t from_stride, int64_t rows, int64_t columns,
               uint32_t* to, int64_t to_stride) {
  constexpr int64_t kAhead = 16;  // rows, which lie too far apart for the processor to foresee
  for (int64_t r = 0; r < rows; r += 2, from += 2 * from_stride, to += to_stride) {
    const BFloat16* const lower = r + 1 < rows ? from + from_stride : nullptr;
    for_vectors(columns, [&](int64_t c, int64_t count) {
      __builtin_prefetch(from + kAhead * from_stride + c);
      __builtin_prefetch(from + (kAhead + 1) * from_stride + c);
      UintVector pairs = bits_of(from + c, count) >> 16;
      if (lower != nullptr) pairs |= bits_of(lower + c, count);
      // Only moved, so it does not matter that pairs are no fp32 numbers.
      store(reinterpret_cast<float*>(to + c), reinterpret_cast<Vector>(pairs), count);
    });
  }
}

void transpose_pairs(const uint32_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                     uint32_t* to, int64_t to_stride) {
  transpose(reinterpret_cast<const float*>(from), from_stride, rows, columns,
            reinterpret_cast<float*>(to), to_stride);
}

void bf16_tile(const Bf16Tile& tile) {
  const float* from = tile.from;
  for (int64_t r = 0; r < tile.rows; ++r, from += tile.from_stride) {
    const int64_t begin = r * tile.to_stride;
    for_vectors(tile.columns, [&](int64_t c, int64_t count) {
      const auto read = [&](const auto* row) { return load(row + c, count); };
      Vector x = read(from);
      if (tile.bias != nullptr) x += read(tile.bias);
      if (tile.addend != nullptr) x += read(tile.addend + begin);
      if (tile.relu) x = larger(Vector{}, x);  // NaN stays NaN
      if (tile.passes != nullptr) x = read(tile.passes + begin) > 0.0f ? x : Vector{};
      store(tile.to + begin + c, x, count);
    });
  }
}

void column_sums(const BFloat16* x, int64_t rows, int64_t columns, float* sums) {
  constexpr int64_t kRows = 16;  // summed in registers
  std::fill(sums, sums + columns, 0.0f);
  for (int64_t r = 0; r < rows; r += kRows, x += kRows * columns) {
    const int64_t here = std::min(kRows, rows - r);
    for_vectors(columns, [&](int64_t c, int64_t count) {
      Vector sum{};
      for (int64_t i = 0; i < here; ++i) sum += load(x + i * columns + c, count);
      store(sums + c, load(sums + c, count) + sum, count);
    });
  }
}

}  // namespace

extern const LayoutKernels kLayoutKernels = {DIETMT_ISA_NAME, pair_rows, transpose_pairs, bf16_tile,
                                             column_sums};

}  // namespace dietmt::kernels::DIETMT_ISA
