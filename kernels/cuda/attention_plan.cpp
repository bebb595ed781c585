#include "kernels/cuda/attention_plan.h"

#include <algorithm>

#include "kernels/attention_tables.h"

namespace dietmt::kernels {
namespace {

int64_t tiles(int64_t length) { return (length + kDeviceTileRows - 1) / kDeviceTileRows; }

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

/// `list`: the tiles of the rows; `longest`: tiles of the longest sentence.
Split choose_split(const WantedTables& tables, const DeviceTiles& list, int64_t longest,
                   const AttentionSizes& sizes, const BackwardLimits& limits) {
  if (tables.empty()) return {static_cast<int>(list.count), 1, false};
  const bool by_position = std::any_of(tables.begin(), tables.end(),
                                       [](const WantedTable& table) { return table.positional; });
  const int64_t groups = by_position ? std::max<int64_t>(longest, 1) : 1;
  const int64_t most = std::max<int64_t>(by_position ? sizes.sentences : list.count, 1);
  const int64_t parts = std::clamp<int64_t>(limits.blocks / (groups * sizes.heads), 1, most);
  Split split{static_cast<int>(parts), static_cast<int>(groups), by_position};
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
  plan.arguments.scales = scales_of(call.forward);
  AttentionTables& partials = plan.arguments.partials;
  const WantedTables by_query = wanted_tables(call, false, partials);
  const WantedTables by_key = wanted_tables(call, true, partials);
  plan.arguments.query_split =
      choose_split(by_query, sizes.device_query_tiles, tiles(sizes.max_queries), sizes, limits);
  plan.arguments.key_split =
      choose_split(by_key, sizes.device_key_tiles, tiles(sizes.max_keys), sizes, limits);

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

HeadScales scales_of(const AttentionForward& call) {
  HeadScales scales;
  std::copy_n(call.terms.content_scale, call.sizes.heads, scales.of);
  return scales;
}

BlockIndex forward_grid(const AttentionSizes& sizes) {
  return {static_cast<int>(sizes.device_query_tiles.count * sizes.heads), 1, 1};
}

BlockIndex backward_grid(const Split& split, const AttentionSizes& sizes) {
  return {static_cast<int>(int64_t{split.parts} * split.groups * sizes.heads), 1, 1};
}

BlockIndex reduce_grid(const ReduceArguments& reduction) {
  return {static_cast<int>((reduction.inner + kThreads - 1) / kThreads),
          reduction.shared ? 1 : static_cast<int>(reduction.heads), 1};
}

}  // namespace dietmt::kernels
