// Adds the blocks' partial sums of all tables (table_gradients.cuh), in a fixed order.
#pragma once

#include "kernels/cuda/attention_plan.h"
#include "kernels/cuda/primitives.h"

namespace dietmt::kernels {

/// grid: the blocks of each table, one after the other; see reduction_blocks.
struct ReduceTablesBlock {
  using Arguments = ReduceArguments;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const ReduceArguments&) { return 0; }

  DIETMT_DEVICE static void run(const ReduceArguments& arguments, BlockIndex block, char*) {
    int64_t index = block.x;
    int table = 0;
    while (index >= reduction_blocks(arguments.tables[table], arguments.heads)) {
      index -= reduction_blocks(arguments.tables[table], arguments.heads);
      ++table;
    }
    const TableReduction& reduction = arguments.tables[table];
    const int64_t blocks_of_head = (reduction.inner + kThreads - 1) / kThreads;
    const int64_t head = index / blocks_of_head;
    const int64_t entry = index % blocks_of_head * kThreads + thread_index();
    if (entry >= reduction.inner) return;
    const int64_t slots = reduction.shared ? reduction.outer * arguments.heads : reduction.outer;
    const int64_t step = (reduction.shared ? 1 : arguments.heads) * reduction.inner;
    const float* from = reduction.partial + head * reduction.inner + entry;
    // Independent sums let the loads overlap.
    constexpr int kSums = 4;
    float sums[kSums] = {};
    int64_t slot = 0;
    for (; slot + kSums <= slots; slot += kSums) {
      DIETMT_UNROLL
      for (int i = 0; i < kSums; ++i) sums[i] += from[(slot + i) * step];
    }
    for (; slot < slots; ++slot) sums[0] += from[slot * step];
    reduction.grad[head * reduction.inner + entry] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
};

}  // namespace dietmt::kernels
