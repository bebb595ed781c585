// Vectors of 64 tokens of one head in shared memory, as TMA leaves them and wgmma reads them: boxes
// of 64 elements side by side, each with rows of 128 bytes, swizzled by 128 bytes.
#pragma once

#include "kernels/cuda/sm90/attention_plan.h"
#include "kernels/cuda/sm90/warpgroup_rows.cuh"

namespace dietmt::kernels {

constexpr int kBoxRowBytes = kBoxWidth * 2;
constexpr int kPatternBytes = 8 * kBoxRowBytes;  // of the swizzling
constexpr int kBoxBytes = kTileTokens * kBoxRowBytes;

template <int kWidth>
constexpr int kTileBytes = kWidth / kBoxWidth* kBoxBytes;

/// Elements of a tile of scores as the left side of a product.
using PackedScores = uint32_t[kTileTokens / 4];

/// Where a warp stands in a ring of stages. A consumer waits for `parity` of a stage's barrier, the
/// producer for the other one of the barrier that frees the stage.
template <int kStages>
struct RingPlace {
  int stage = 0;
  int parity = 0;

  DIETMT_DEVICE void advance() {
    ++stage;
    if (stage < kStages) return;
    stage = 0;
    parity ^= 1;
  }
};

/// The start of the first swizzling pattern in shared memory; kPatternBytes - 16 are enough room.
DIETMT_DEVICE char* first_pattern(char* shared) {
  const auto past = static_cast<int>(shared_address(shared) % kPatternBytes);
  return shared + (past > 0 ? kPatternBytes - past : 0);
}

/// One thread starts copying a tile.
template <int kWidth>
DIETMT_DEVICE void load_tile(char* to, const TensorMap& map, int head, int token,
                             TransactionBarrier* barrier) {
  DIETMT_UNROLL
  for (int box = 0; box < kWidth / kBoxWidth; ++box) {
    const int at[3] = {box * kBoxWidth, head, token};
    load_box(to + box * kBoxBytes, map, at, barrier);
  }
}

/// A warp clears the tokens from `count` on.
template <int kWidth>
DIETMT_DEVICE void clear_tokens(char* tile, int count) {
  constexpr int kPieces = kBoxRowBytes / 16;
  for (int box = 0; box < kWidth / kBoxWidth; ++box) {
    char* const rows = tile + box * kBoxBytes;
    for (int i = count * kPieces + lane_index(); i < kTileTokens * kPieces; i += kWarpThreads) {
      store_words(rows + 16 * i, {{0, 0, 0, 0}});
    }
  }
}

/// Starts products = rows columns^T, as a group, after begin_multiplies().
template <typename E, int kWidth>
DIETMT_DEVICE void start_products(WarpgroupRows<kTileTokens>& products, const char* rows,
                                  const char* columns) {
  DIETMT_UNROLL
  for (int k = 0; k < kWidth; k += kDepth) {
    const int at = k / kBoxWidth * kBoxBytes + k % kBoxWidth * 2;
    const uint64_t left = matrix_descriptor(rows + at, Swizzle::k128Bytes, kPatternBytes, 0);
    const uint64_t right = matrix_descriptor(columns + at, Swizzle::k128Bytes, kPatternBytes, 0);
    multiply_shared<E>(products.value, left, right, k > 0);
  }
  commit_multiplies();
}

/// Starts sums += scores vectors, as a group, after begin_multiplies().
template <typename E, int kWidth>
DIETMT_DEVICE void start_sums(WarpgroupRows<kWidth>& sums, PackedScores& scores,
                              const char* vectors) {
  DIETMT_UNROLL
  for (int step = 0; step < kTileTokens / kDepth; ++step) {
    const uint64_t right = matrix_descriptor(vectors + step * kDepth * kBoxRowBytes,
                                             Swizzle::k128Bytes, kPatternBytes, kBoxBytes);
    multiply_registers<E>(sums.value, scores + 4 * step, right);
  }
  commit_multiplies();
}

template <typename E>
DIETMT_DEVICE void pack_scores(PackedScores& packed, const WarpgroupRows<kTileTokens>& scores) {
  DIETMT_UNROLL
  for (int i = 0; i < kTileTokens / 4; ++i) {
    packed[i] = pack<E>(scores.value[2 * i], scores.value[2 * i + 1]);
  }
}

}  // namespace dietmt::kernels
