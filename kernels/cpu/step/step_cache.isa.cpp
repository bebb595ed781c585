// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include "kernels/cpu/vector.h"
#include "kernels/step_attention.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

template <typename Number>
void keep_row(int64_t heads, int64_t head_width, const float* from, Number* row) {
  const int64_t whole = head_width / kLanes * kLanes;
  const int64_t padded = padded_head(head_width);
  for (int64_t h = 0; h < heads; ++h, from += head_width, row += padded) {
    for (int64_t d = 0; d < whole; d += kLanes) store(row + d, load(from + d));
    if (whole == padded) continue;
    store(row + whole, load_first(from + whole, head_width - whole));
    for (int64_t d = whole + kLanes; d < padded; d += kLanes) store(row + d, Vector{});
  }
}

template <typename Number>
void keep_column(int64_t keys, const float* from, int64_t stride, Number* column) {
  for (int64_t j = 0; j < padded_head(keys); j += kLanes) {
    float lanes[kLanes] = {};
    for (int64_t l = 0; l < kLanes && j + l < keys; ++l) lanes[l] = from[(j + l) * stride];
    store(column + j, load(lanes));
  }
}

}  // namespace

void cache_row(CacheType type, int64_t heads, int64_t head_width, const float* from, void* row) {
  if (type == CacheType::kFloat)
    keep_row(heads, head_width, from, static_cast<float*>(row));
  else
    keep_row(heads, head_width, from, static_cast<BFloat16*>(row));
}

void cache_column(CacheType type, int64_t keys, const float* from, int64_t stride, void* column) {
  if (type == CacheType::kFloat)
    keep_column(keys, from, stride, static_cast<float*>(column));
  else
    keep_column(keys, from, stride, static_cast<BFloat16*>(column));
}

}  // namespace dietmt::kernels::DIETMT_ISA
