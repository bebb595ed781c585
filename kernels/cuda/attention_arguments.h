// Arguments of the kernels besides the call itself.
#pragma once

#include "kernels/attention.h"

namespace dietmt::kernels {

constexpr int kThreads = 128;  // of a block
constexpr int kTile = 64;      // queries or keys in a tile of scores

struct BlockIndex {
  int x = 0;
  int y = 0;
  int z = 0;
};

constexpr int kMaxHeads = 128;

/// content_scale of each head, by value: it lies in host memory.
struct HeadScales {
  float of[kMaxHeads] = {};
};

struct ForwardArguments {
  AttentionForward call;
  HeadScales scales;
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
  HeadScales scales;
  Split query_split;
  Split key_split;
  AttentionTables partials;  // null: not wanted; on the device
  float* delta = nullptr;    // [H, N]: output . grad_output
};

/// Partial sums of a table and where they go (attention_driver.cuh).
struct ReduceArguments {
  const float* partial = nullptr;  // [outer, heads, inner]
  float* grad = nullptr;           // [heads or 1, inner], added to
  int64_t outer = 0;
  int64_t heads = 0;
  int64_t inner = 0;
  bool shared = false;  // the heads share the table: sum over them too
};

}  // namespace dietmt::kernels
