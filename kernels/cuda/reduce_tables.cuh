// Adds the partial sums of a table's gradient (table_gradients.cuh) in a fixed order.
#pragma once

#include "kernels/cuda/attention_arguments.h"
#include "kernels/cuda/primitives.h"

namespace dietmt::kernels {

/// grid: inner / kThreads, 1 if shared, else heads.
struct ReduceTableBlock {
  using Arguments = ReduceArguments;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const ReduceArguments&) { return 0; }

  DIETMT_DEVICE static void run(const ReduceArguments& arguments, BlockIndex block, char*) {
    const int64_t entry = int64_t{block.x} * kThreads + thread_index();
    if (entry >= arguments.inner) return;
    const int64_t slots = arguments.shared ? arguments.outer * arguments.heads : arguments.outer;
    const int64_t step = (arguments.shared ? 1 : arguments.heads) * arguments.inner;
    const float* from = arguments.partial + block.y * arguments.inner + entry;
    float sum = 0.0f;
    for (int64_t slot = 0; slot < slots; ++slot) sum += from[slot * step];
    arguments.grad[block.y * arguments.inner + entry] += sum;
  }
};

}  // namespace dietmt::kernels
