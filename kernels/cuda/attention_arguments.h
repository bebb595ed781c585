// Arguments of the kernels in addition to the call itself.
#pragma once

#include "kernels/attention.h"

namespace dietmt::kernels {

constexpr int kThreads = 128;  // of a block
constexpr int kRows = 128;     // queries or keys that a block owns at a time
static_assert(kRows == kDeviceTileRows);

struct BlockIndex {
  int x = 0;
  int y = 0;
  int z = 0;
};

/// The terms that a kernel is compiled for. A call runs in the smallest class that has its terms.
enum class TermClass {
  kPlain,            // none
  kOffsetBias,       // offset_bias
  kPairBias,         // position_bias, segment_bias, offset_bias
  kRelativeVectors,  // relative_keys, relative_queries, relative_values, offset_bias
  kEverything,       // all of these and features
};

constexpr bool has_offset_bias(TermClass terms) { return terms != TermClass::kPlain; }
constexpr bool has_pairs(TermClass terms) {
  return terms == TermClass::kPairBias || terms == TermClass::kEverything;
}
constexpr bool has_vectors(TermClass terms) {
  return terms == TermClass::kRelativeVectors || terms == TermClass::kEverything;
}
constexpr bool has_features(TermClass terms) { return terms == TermClass::kEverything; }

TermClass term_class(const AttentionTables& tables);

constexpr int kMaxHeads = 128;

/// content_scale of each head, by value: it lies in host memory.
struct HeadScales {
  float of[kMaxHeads] = {};
};

/// A table of relative vectors in the element type, [heads, entries, width of the kernel], made
/// once a call. head_stride counts elements and is 0 if the heads share the table.
struct ConvertedTable {
  void* data = nullptr;
  int64_t head_stride = 0;
};
struct ConvertedTables {
  ConvertedTable relative_keys;
  ConvertedTable relative_queries;
  ConvertedTable relative_values;
};

/// What dropout needs of a call. The kernels make the key.
struct DropoutNumbers {
  DropoutKey key;
  uint32_t threshold = 0;  // 0: nothing is dropped
  float scale = 1.0f;      // 1 / (1 - p)
};

struct ForwardArguments {
  AttentionForward call;
  DeviceTiles query_tiles;
  HeadScales scales;
  DropoutNumbers dropout;
  ConvertedTables converted;
};

/// How the rows of a head are dealt out. In the list of tiles (`by_position` false, one group),
/// block `part` works on tiles part, part + parts, .. With gradients of tables over positions, a
/// tile owns its rows of them: block (part, group) works on tiles group, group + groups, .. of
/// sentences part, part + parts, ..
struct Split {
  int parts = 1;
  int groups = 1;
  bool by_position = false;
};

/// `partials` has the layout [parts, groups, H, head_stride] for tables that depend on offsets or
/// segments, and [parts, H, head_stride] for tables over positions, where a tile owns its rows.
struct BackwardArguments {
  AttentionBackward call;
  DeviceTiles query_tiles;
  DeviceTiles key_tiles;
  HeadScales scales;
  DropoutNumbers dropout;
  ConvertedTables converted;
  Split query_split;
  Split key_split;
  AttentionTables partials;  // null: not wanted; on the device
  float* delta = nullptr;    // [H, N]: output . grad_output
};

/// Computed before the other kernels: zeros, converted tables, and D for backward.
struct PrepareArguments {
  int64_t blocks = 0;
  float* zeros = nullptr;
  int64_t zero_count = 0;
  AttentionForward call;
  ConvertedTables converted;
  HeadRows grad_output;    // null: forward, which needs no D
  float* delta = nullptr;  // [H, N]
};

/// Partial sums of a table and where they go.
struct TableReduction {
  const float* partial = nullptr;  // [outer, heads, inner]
  float* grad = nullptr;           // [heads or 1, inner], overwritten
  int64_t outer = 0;
  int64_t inner = 0;
  bool shared = false;  // the heads share the table: sum over them too
};

constexpr int kMaxReductions = 8;

struct ReduceArguments {
  TableReduction tables[kMaxReductions];
  int count = 0;
  int64_t heads = 0;
};

}  // namespace dietmt::kernels
