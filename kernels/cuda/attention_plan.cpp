#include "kernels/cuda/attention_plan.h"

#include <algorithm>

#include "kernels/attention_tables.h"

namespace dietmt::kernels {
namespace {

int64_t tiles(int64_t length) { return (length + kTile - 1) / kTile; }

/// A table whose gradient is wanted.
struct WantedTable {
  const HeadTable* table;
  const HeadTable* grad;
  HeadTable* partial;
  int64_t inner;    // elements for each head
  bool positional;  // a tile owns its rows, so that the groups of a part share its memory

  int64_t bytes(const Split& split, int64_t heads) const {
    const int64_t slots = positional ? split.parts : int64_t{split.parts} * split.groups;
    return slots * heads * inner * static_cast<int64_t>(sizeof(float));
  }
};

using WantedTables = std::vector<WantedTable>;

int64_t partial_bytes(const WantedTables& tables, const Split& split, int64_t heads) {
  int64_t sum = 0;
  for (const WantedTable& table : tables) sum += table.bytes(split, heads);
  return sum;
}

Split choose_split(const WantedTables& tables, int64_t tile_count, const AttentionSizes& sizes,
                   const BackwardLimits& limits) {
  const auto groups = static_cast<int>(std::max<int64_t>(tile_count, 1));
  if (tables.empty()) return {static_cast<int>(sizes.sentences), groups};
  const int64_t parts = std::clamp<int64_t>(limits.blocks / (groups * sizes.heads), 1,
                                            std::max<int64_t>(sizes.sentences, 1));
  Split split{static_cast<int>(parts), groups};
  while (split.parts > 1 && partial_bytes(tables, split, sizes.heads) > limits.partial_bytes) {
    split.parts = (split.parts + 1) / 2;
  }
  while (split.groups > 1 && partial_bytes(tables, split, sizes.heads) > limits.partial_bytes) {
    split.groups = (split.groups + 1) / 2;
  }
  return split;
}

/// The tables with wanted gradients that keys meet, or the others.
WantedTables wanted_tables(const AttentionBackward& call, bool by_key, AttentionTables& partials) {
  const AttentionTerms& terms = call.forward.terms;
  WantedTables wanted;
  for (const AttentionTable& row : kAttentionTables) {
    const HeadTable& table = terms.tables.*row.table;
    const HeadTable& grad = call.grad_tables.*row.table;
    if (row.by_key != by_key || table.data == nullptr || grad.data == nullptr) continue;
    wanted.push_back({&table, &grad, &(partials.*row.table),
                      numbers_per_head(row, call.forward.sizes, terms), has_positions(row.rows)});
  }
  return wanted;
}

}  // namespace

BackwardPlan plan_backward(const AttentionBackward& call, char* workspace,
                           const BackwardLimits& limits) {
  const AttentionSizes& sizes = call.forward.sizes;
  BackwardPlan plan;
  plan.arguments.call = call;
  AttentionTables& partials = plan.arguments.partials;
  const WantedTables by_query = wanted_tables(call, false, partials);
  const WantedTables by_key = wanted_tables(call, true, partials);
  plan.arguments.query_split = choose_split(by_query, tiles(sizes.max_queries), sizes, limits);
  plan.arguments.key_split = choose_split(by_key, tiles(sizes.max_keys), sizes, limits);

  const auto take = [&](const WantedTables& tables, const Split& split) {
    for (const WantedTable& table : tables) {
      auto* partial = reinterpret_cast<float*>(workspace + plan.zeroed_bytes);
      const int64_t bytes = table.bytes(split, sizes.heads);
      *table.partial = {partial, table.inner};
      const int64_t slots = bytes / (sizes.heads * table.inner * int64_t{sizeof(float)});
      plan.reductions.push_back({partial, table.grad->data, slots, sizes.heads, table.inner,
                                 table.table->head_stride == 0});
      plan.zeroed_bytes += static_cast<size_t>(bytes);
    }
  };
  take(by_query, plan.arguments.query_split);
  take(by_key, plan.arguments.key_split);
  plan.arguments.delta = reinterpret_cast<float*>(workspace + plan.zeroed_bytes);
  // Only the device knows the number of tokens.
  const int64_t queries = sizes.sentences * sizes.max_queries;
  plan.workspace_bytes =
      plan.zeroed_bytes + static_cast<size_t>(sizes.heads * queries) * sizeof(float);
  return plan;
}

BlockIndex forward_grid(const AttentionSizes& sizes) {
  return {static_cast<int>(sizes.sentences), static_cast<int>(tiles(sizes.max_queries)),
          static_cast<int>(sizes.heads)};
}

BlockIndex backward_grid(const Split& split, const AttentionSizes& sizes) {
  return {split.parts, split.groups, static_cast<int>(sizes.heads)};
}

BlockIndex reduce_grid(const ReduceArguments& reduction) {
  return {static_cast<int>((reduction.inner + kThreads - 1) / kThreads),
          reduction.shared ? 1 : static_cast<int>(reduction.heads), 1};
}

}  // namespace dietmt::kernels
