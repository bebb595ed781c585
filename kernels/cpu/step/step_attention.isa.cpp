// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include "kernels/step_attention.h"

#include <cstdint>

#include "kernels/cpu/step/step_head.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

/// Prefetches the keys and values of a head. Always inline: gcc drops calls of a function that only
/// prefetches, as if it had no effect.
template <typename Number>
[[gnu::always_inline]] inline void prefetch(const StepAttention& call, int64_t head) {
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

}  // namespace

int64_t step_attention_workspace(const StepAttention& call) {
  const int64_t stride = score_stride(call.keys);
  return call.hypotheses * (padded_head(call.head_width) + stride) + stride + entry_stride(call);
}

void step_attention(CacheType cache, std::span<const StepAttention> calls, float* workspace) {
  if (cache == CacheType::kFloat)
    attend<float>(calls, workspace);
  else
    attend<BFloat16>(calls, workspace);
}

}  // namespace dietmt::kernels::DIETMT_ISA
