// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include "kernels/step_attention.h"

#include <cstdint>

#include "kernels/cpu/step/step_head.h"
#include "kernels/cpu/subnormals.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

/// Prefetches the keys and values of a head. Always inline: gcc drops calls of a function that only
/// prefetches, as if it had no effect.
template <typename Number>
[[gnu::always_inline]] inline void prefetch(const StepAttention& call, int64_t query_head) {
  const int64_t head = query_head / call.heads_per_key;
  const int64_t width = padded_head(call.head_width);
  const auto fetch =
      [](const void* numbers, int64_t at, int64_t count) __attribute__((always_inline)) {
    const Number* first = static_cast<const Number*>(numbers) + at;
    for (int64_t c = 0; c < count; c += 64 / sizeof(Number)) __builtin_prefetch(first + c);
  };
  if (call.slots == nullptr) {
    const int64_t columns = call.head_width * call.key_stride;
    fetch(call.key_columns, head * columns, columns);
    for (int64_t j = 0; j < call.keys; ++j)
      fetch(call.value_rows, j * call.row_stride + head * width, width);
    return;
  }
  for (int64_t r = 0; r < call.hypotheses; ++r) {
    const int32_t* slots = call.slots + r * call.slots_stride;
    for (int64_t j = 0; j < call.keys; ++j) {
      if (r > 0 && slots[j] == slots[j - call.slots_stride]) continue;  // hypotheses share most
      fetch(call.key_rows, slots[j] * call.row_stride + head * width, width);
      fetch(call.value_rows, slots[j] * call.row_stride + head * width, width);
    }
  }
}

/// Prefetches the next head's keys and values, which are scattered, while one is computed.
template <typename Number>
void attend(std::span<const StepAttention> calls, float* workspace) {
  for (size_t c = 0; c < calls.size(); ++c) {
    const StepAttention& call = calls[c];
    for (int64_t h = call.first_head; h < call.last_head; ++h) {
      if (h + 1 < call.last_head)
        prefetch<Number>(call, h + 1);
      else if (c + 1 < calls.size())
        prefetch<Number>(calls[c + 1], calls[c + 1].first_head);
      StepHead<Number>(call, h, workspace).run();
    }
  }
}

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

int64_t step_attention_workspace(const StepAttention& call) {
  const int64_t stride = score_stride(call.keys);
  return call.hypotheses * (padded_head(call.head_width) + stride) + stride + entry_stride(call);
}

void step_attention(CacheType cache, std::span<const StepAttention> calls, float* workspace) {
  const SubnormalsAsZeros zeros;
  if (cache == CacheType::kFloat)
    attend<float>(calls, workspace);
  else
    attend<BFloat16>(calls, workspace);
}

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

}  // namespace

extern const StepKernels kStepKernels = {DIETMT_ISA_NAME, step_attention_workspace, step_attention,
                                         cache_row, cache_column};

}  // namespace dietmt::kernels::DIETMT_ISA
