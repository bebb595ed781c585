// Where the sm_90a kernel cases run: on the host (attention_host_test.cpp) or on a GPU
// (runner_gpu.cpp). Each test program links one of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tests/kernels/cuda/runner.h"

namespace dietmt::kernels {

/// Forward, then backward; the results are complete on return.
void run_warpgroup_attention(const AttentionBackward& call);

/// Puts NaN into queries, keys, values and grad_output of tokens first .. first + count - 1.
inline void fill_inputs_with_nan(const AttentionBackward& call, int64_t first, int64_t count) {
  const AttentionForward& forward = call.forward;
  for (const HeadRows& rows : {forward.queries, forward.keys, forward.values, call.grad_output}) {
    for (int64_t token = first; token < first + count; ++token) {
      std::fill_n(static_cast<uint16_t*>(rows.data) + token * rows.token_stride,
                  forward.sizes.heads * forward.sizes.head_width, uint16_t{0x7fff});
    }
  }
}

}  // namespace dietmt::kernels
