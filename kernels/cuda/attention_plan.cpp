#include "kernels/cuda/attention_plan.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "kernels/attention_tables.h"
#include "kernels/dropout.h"

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

  int64_t slots(const Split& split) const {
    return positional ? split.parts : int64_t{split.parts} * split.groups;
  }
  int64_t bytes(const Split& split, int64_t heads) const {
    return slots(split) * heads * inner * static_cast<int64_t>(sizeof(float));
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
  const int64_t groups = by_position ? std::max<int64_t>(longest, 1) : limits.groups;
  const int64_t most = std::max<int64_t>(by_position ? sizes.sentences : list.count, 1);
  const int64_t parts = std::clamp<int64_t>(limits.blocks / (groups * sizes.heads), 1, most);
  Split split{static_cast<int>(parts), static_cast<int>(groups), by_position};
  while (split.parts > 1 && partial_bytes(tables, split, sizes.heads) > limits.partial_bytes) {
    split.parts = (split.parts + 1) / 2;
  }
  while (by_position && split.groups > 1 &&
         partial_bytes(tables, split, sizes.heads) > limits.partial_bytes) {
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

HeadScales scales_of(const AttentionForward& call) {
  if (call.sizes.heads > kMaxHeads)
    throw Error("CUDA attention has at most " + std::to_string(kMaxHeads) + " heads, not " +
                std::to_string(call.sizes.heads));
  HeadScales scales;
  std::copy_n(call.terms.content_scale, call.sizes.heads, scales.of);
  // The maximum of scaled scores is taken before they are scaled.
  if (!std::all_of(scales.of, scales.of + call.sizes.heads, [](float scale) { return scale > 0; }))
    throw Error("CUDA attention needs positive scales of the content scores");
  return scales;
}

DropoutNumbers dropout_numbers(const AttentionSizes& sizes) {
  return {sizes.device_dropout_key, sizes.dropout > 0.0 ? dropout_threshold(sizes.dropout) : 0,
          static_cast<float>(1.0 / (1.0 - sizes.dropout))};
}

/// Takes arrays from a workspace one after the other, each aligned to 16 bytes.
class Workspace {
 public:
  explicit Workspace(char* start) : start_(start) {}

  template <typename T>
  T* take(int64_t count) {
    auto* const array = reinterpret_cast<T*>(start_ + used_);
    used_ += (static_cast<size_t>(count) * sizeof(T) + 15) / 16 * 16;
    return array;
  }
  size_t used() const { return used_; }

 private:
  char* start_;
  size_t used_ = 0;
};

ConvertedTables take_converted(const AttentionForward& call, Workspace& memory) {
  const auto take = [&](const HeadTable& table, int64_t clip) -> ConvertedTable {
    if (table.data == nullptr) return {};
    const int64_t head = (2 * clip + 1) * kernel_width(call.sizes.head_width, call.sizes.type);
    const bool shared = table.head_stride == 0;
    const int64_t bytes = call.sizes.type == ElementType::kFloat ? 4 : 2;
    return {memory.take<char>(bytes * head * (shared ? 1 : call.sizes.heads)), shared ? 0 : head};
  };
  const AttentionTerms& terms = call.terms;
  ConvertedTables converted;
  converted.relative_keys = take(terms.tables.relative_keys, terms.key_clip);
  converted.relative_queries = take(terms.tables.relative_queries, terms.query_clip);
  converted.relative_values = take(terms.tables.relative_values, terms.value_clip);
  return converted;
}

/// At least the number of packed queries, which only the device knows.
int64_t most_queries(const AttentionSizes& sizes) {
  return std::min(sizes.sentences * sizes.max_queries,
                  sizes.device_query_tiles.single.count * kDeviceTileRows);
}

/// Enough blocks to fill a device, each with work for all of its threads.
int64_t prepare_blocks(const PrepareArguments& arguments) {
  constexpr int64_t kMostBlocks = 1024;
  const AttentionTerms& terms = arguments.call.terms;
  int64_t threads = arguments.zero_count;
  if (arguments.delta != nullptr) {
    threads =
        std::max(threads, 4 * arguments.call.sizes.heads * most_queries(arguments.call.sizes));
  }
  for (const int64_t clip : {terms.key_clip, terms.query_clip, terms.value_clip}) {
    threads = std::max(threads, (2 * clip + 1) * arguments.call.sizes.head_width);
  }
  return std::clamp<int64_t>(threads / kThreads, 1, kMostBlocks);
}

}  // namespace

TermClass term_class(const AttentionTables& tables) {
  const bool vectors = tables.relative_keys.data != nullptr ||
                       tables.relative_queries.data != nullptr ||
                       tables.relative_values.data != nullptr;
  const bool pairs = tables.position_bias.data != nullptr || tables.segment_bias.data != nullptr;
  if (tables.query_features.data != nullptr || (vectors && pairs)) return TermClass::kEverything;
  if (vectors) return TermClass::kRelativeVectors;
  if (pairs) return TermClass::kPairBias;
  return tables.offset_bias.data != nullptr ? TermClass::kOffsetBias : TermClass::kPlain;
}

int kernel_width(int64_t head_width, ElementType type) {
  if (head_width < 8 || head_width > 128 || head_width % 8 != 0) return 0;
  if (type == ElementType::kFloat) return head_width <= 64 ? 64 : 128;
  return static_cast<int>((head_width + 31) / 32 * 32);
}

ForwardPlan plan_forward(const AttentionForward& call, char* workspace) {
  ForwardPlan plan;
  Workspace memory(workspace);
  const ConvertedTables converted = take_converted(call, memory);
  const DeviceTilings& tiles = call.sizes.device_query_tiles;
  plan.arguments = {call, packs_sentences(call) ? tiles.packed : tiles.single, scales_of(call),
                    dropout_numbers(call.sizes), converted};
  plan.prepare.call = call;
  plan.prepare.converted = converted;
  plan.prepare.blocks = prepare_blocks(plan.prepare);
  plan.workspace_bytes = memory.used();
  return plan;
}

BackwardPlan plan_backward(const AttentionBackward& call, char* workspace,
                           const BackwardLimits& limits) {
  const AttentionSizes& sizes = call.forward.sizes;
  BackwardPlan plan;
  BackwardArguments& arguments = plan.arguments;
  arguments.call = call;
  const bool has_fewer_tiles = packs_sentences(call.forward);
  // A block that streams the keys of long sentences for a few queries would take far longer.
  const bool has_short_keys = sizes.max_keys <= kRows || has_fewer_tiles;
  plan.single_pass = may_pack_sentences(call.forward) && sizes.max_queries <= kRows &&
                     has_short_keys &&
                     has_single_pass(sizes.type, term_class(call.forward.terms.tables),
                                     kernel_width(sizes.head_width, sizes.type));
  const bool packs = plan.single_pass || has_fewer_tiles;
  const auto chosen = [&](const DeviceTilings& tiles) {
    return packs ? tiles.packed : tiles.single;
  };
  arguments.query_tiles = chosen(sizes.device_query_tiles);
  arguments.key_tiles = chosen(sizes.device_key_tiles);
  arguments.scales = scales_of(call.forward);
  arguments.dropout = dropout_numbers(sizes);
  const WantedTables by_query = wanted_tables(call, false, arguments.partials);
  const WantedTables by_key = wanted_tables(call, true, arguments.partials);
  arguments.query_split =
      choose_split(by_query, arguments.query_tiles, tiles(sizes.max_queries), sizes, limits);
  arguments.key_split =
      choose_split(by_key, arguments.key_tiles, tiles(sizes.max_keys), sizes, limits);

  Workspace memory(workspace);
  plan.reduce.heads = sizes.heads;
  const auto take = [&](const WantedTables& tables, const Split& split) {
    for (const WantedTable& table : tables) {
      const int64_t slots = table.slots(split);
      auto* partial = memory.take<float>(slots * sizes.heads * table.inner);
      *table.partial = {partial, table.inner};
      plan.reduce.tables[plan.reduce.count++] = {partial, table.grad->data, slots, table.inner,
                                                 table.table->head_stride == 0};
    }
  };
  take(by_query, arguments.query_split);
  take(by_key, arguments.key_split);
  plan.prepare.zeros = reinterpret_cast<float*>(workspace);
  plan.prepare.zero_count = static_cast<int64_t>(memory.used() / sizeof(float));
  arguments.converted = take_converted(call.forward, memory);
  if (!plan.single_pass) arguments.delta = memory.take<float>(sizes.heads * most_queries(sizes));
  plan.prepare.call = call.forward;
  plan.prepare.converted = arguments.converted;
  plan.prepare.grad_output = call.grad_output;
  plan.prepare.delta = arguments.delta;
  plan.prepare.blocks = prepare_blocks(plan.prepare);
  plan.workspace_bytes = memory.used();
  return plan;
}

BlockIndex prepare_grid(const PrepareArguments& arguments) {
  return {static_cast<int>(arguments.blocks), 1, 1};
}

BlockIndex forward_grid(const ForwardArguments& arguments) {
  return {static_cast<int>(arguments.query_tiles.count * arguments.call.sizes.heads), 1, 1};
}

BlockIndex single_pass_grid(const BackwardArguments& arguments) {
  const Split& split = arguments.query_split;
  return {split.parts * split.groups * static_cast<int>(arguments.call.forward.sizes.heads), 1, 1};
}

BlockIndex backward_grid(const BackwardArguments& arguments, int halves, bool split_keys) {
  const auto blocks = [](const Split& split) { return int64_t{split.parts} * split.groups; };
  const int64_t all =
      blocks(arguments.query_split) + blocks(arguments.key_split) * (split_keys ? 2 : 1);
  return {static_cast<int>(all * halves * arguments.call.forward.sizes.heads), 1, 1};
}

BlockIndex reduce_grid(const ReduceArguments& arguments) {
  int64_t blocks = 0;
  for (int i = 0; i < arguments.count; ++i) {
    blocks += reduction_blocks(arguments.tables[i], arguments.heads);
  }
  return {static_cast<int>(blocks), 1, 1};
}

}  // namespace dietmt::kernels
