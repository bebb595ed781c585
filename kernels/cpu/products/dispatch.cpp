// Calls the kernels of bf16_layouts.h of the chosen instruction set.
#include "kernels/cpu/products/levels.h"

namespace dietmt::kernels {

#define DIETMT_DECLARE(isa)                                                             \
  namespace isa {                                                                       \
  void pair_rows(const BFloat16*, int64_t, int64_t, int64_t, uint32_t*, int64_t);       \
  void transpose_pairs(const uint32_t*, int64_t, int64_t, int64_t, uint32_t*, int64_t); \
  void narrow_tile(const NarrowTile&);                                                  \
  void column_sums(const BFloat16*, int64_t, int64_t, float*);                          \
  }
DIETMT_DECLARE(generic)
DIETMT_DECLARE(avx2)
DIETMT_DECLARE(avx512)
DIETMT_DECLARE(avx512_bf16)
#undef DIETMT_DECLARE

#define DIETMT_LEVEL(isa)                                                               \
  LayoutKernels {                                                                       \
    find_instruction_set(#isa), isa::pair_rows, isa::transpose_pairs, isa::narrow_tile, \
        isa::column_sums                                                                \
  }

std::span<const LayoutKernels> layout_levels() {
  static const LayoutKernels levels[] = {DIETMT_LEVEL(generic), DIETMT_LEVEL(avx2),
                                         DIETMT_LEVEL(avx512), DIETMT_LEVEL(avx512_bf16)};
  return levels;
}
#undef DIETMT_LEVEL

namespace {

const LayoutKernels& chosen() {
  static const LayoutKernels& level = best_level(layout_levels());
  return level;
}

}  // namespace

void pair_rows(const BFloat16* from, int64_t from_stride, int64_t rows, int64_t columns,
               uint32_t* to, int64_t to_stride) {
  chosen().pair_rows(from, from_stride, rows, columns, to, to_stride);
}
void transpose_pairs(const uint32_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                     uint32_t* to, int64_t to_stride) {
  chosen().transpose_pairs(from, from_stride, rows, columns, to, to_stride);
}
void narrow_tile(const NarrowTile& tile) { chosen().narrow_tile(tile); }
void column_sums(const BFloat16* x, int64_t rows, int64_t columns, float* sums) {
  chosen().column_sums(x, rows, columns, sums);
}

}  // namespace dietmt::kernels
