// Tiles of both kernels of the backward pass (attention_backward.cuh).
#pragma once

#include "kernels/cuda/table_gradients.cuh"

namespace dietmt::kernels {

/// Tiles of scores and of their gradients. Rows are the queries or the keys that a block owns;
/// columns stream past.
template <typename E, int kWidth, bool kQueryRows>
struct BackwardTiles {
  static constexpr int kStages = kWidth < 128 ? 2 : 1;  // what the memory of sm_80 has room for
  static constexpr int kSize = kTile * kStride<kWidth>;

  /// Keys and values, or queries and grad_output.
  struct Pair {
    E* content;  // what the scores are made of
    E* value;    // what the gradients of the probabilities are made of
  };

  struct Memory {
    Pair rows;
    E* columns;         // [kStages] pairs of tiles
    float* normalizer;  // [64] of the tile's queries
    float* delta;       // [64] of the tile's queries
    TermMemory<E> terms;
  };

  DIETMT_HOST_DEVICE static Memory take_memory(SharedMemory& shared, const AttentionForward& call) {
    Memory memory;
    memory.rows.content = shared.take<E>(kSize);
    memory.rows.value = shared.take<E>(kSize);
    memory.columns = shared.take<E>(2 * kStages * kSize);
    memory.normalizer = shared.take<float>(kTile);
    memory.delta = shared.take<float>(kTile);
    memory.terms = take_term_memory<E, kWidth>(shared, call.terms.tables, true);
    return memory;
  }

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const AttentionForward& call) {
    SharedMemory shared(nullptr);
    take_memory(shared, call);
    return shared.used();
  }

  DIETMT_DEVICE static Pair stage_of(const Memory& memory, int stage) {
    return {memory.columns + 2 * stage * kSize, memory.columns + (2 * stage + 1) * kSize};
  }

  /// Runs body(tile, columns) for the tiles of columns first, first + 1, .. below `end`, with the
  /// next tile on its way where there is room for two. load(index, columns) starts the copies.
  template <typename Load, typename Body>
  DIETMT_DEVICE static void stream(const Memory& memory, int first, int end, const Load& load,
                                   const Body& body) {
    if (first < end) load(first, stage_of(memory, 0));
    commit_copies();
    for (int index = first; index < end; ++index) {
      const int stage = (index - first) % kStages;
      if constexpr (kStages == 2) {
        if (index + 1 < end) load(index + 1, stage_of(memory, 1 - stage));
        commit_copies();
        wait_copies<1>();
      } else {
        wait_copies<0>();
      }
      body(index, stage_of(memory, stage));
      sync_block();
      if constexpr (kStages == 1) {
        if (index + 1 < end) load(index + 1, stage_of(memory, 0));
        commit_copies();
      }
    }
    wait_copies<0>();
  }

  /// Part, group and head of a block.
  DIETMT_DEVICE static BlockIndex place_of(BlockIndex block, const Split& split, int64_t heads) {
    const int slot = block.x / static_cast<int>(heads);
    return {slot / split.groups, slot % split.groups, block.x % static_cast<int>(heads)};
  }

  template <typename RunTile>
  DIETMT_DEVICE static void for_rows_of_tile(const Sentence& sentence, int tile,
                                             const RunTile& run_tile) {
    const int end = (tile + 1) * kListedRows;
    const int rows = kQueryRows ? sentence.queries : sentence.keys;
    for (int start = tile * kListedRows; start < end && start < rows; start += kTile) {
      run_tile(sentence, start);
    }
  }

  /// Runs run_tile(sentence, first row) for the tiles of rows that a block owns.
  template <typename RunTile>
  DIETMT_DEVICE static void for_own_tiles(const AttentionSizes& sizes, const Split& split,
                                          BlockIndex place, const RunTile& run_tile) {
    if (split.by_position) {
      for (int index = place.x; index < sizes.sentences; index += split.parts) {
        const Sentence sentence = sentence_at(sizes, index);
        const int rows = kQueryRows ? sentence.queries : sentence.keys;
        for (int tile = place.y; tile * kListedRows < rows; tile += split.groups) {
          for_rows_of_tile(sentence, tile, run_tile);
        }
      }
      return;
    }
    const DeviceTiles& tiles = kQueryRows ? sizes.device_query_tiles : sizes.device_key_tiles;
    for (int64_t index = place.x; index < tiles.count; index += split.parts) {
      const TileOfSentence tile = tiles.data[index];
      for_rows_of_tile(sentence_at(sizes, tile.sentence), tile.tile, run_tile);
    }
  }

  /// Scores become the probabilities after dropout; returns the gradients of the scores.
  DIETMT_DEVICE static Scores differentiate(Scores& scores, const Pair& columns,
                                            const BackwardArguments& arguments,
                                            const Tile<kQueryRows>& tile, const Dropout& dropout,
                                            int head, const Memory& memory) {
    const AttentionForward& call = arguments.call.forward;
    compute_scores<E, kWidth>(scores, memory.rows.content, columns.content, call,
                              arguments.scales.of[head], tile, head, memory.terms);
    Scores grad;
    grad.zero();
    multiply_transposed<E, kWidth>(grad, memory.rows.value, columns.value);
    const HeadTable& table = call.terms.tables.relative_values;
    if (table.data != nullptr) {
      const float* values = head_table(table, head);
      const int64_t clip = call.terms.value_clip;
      if constexpr (kQueryRows) {
        add_by_row<E, kWidth>(grad, memory.rows.value, values, clip, tile, memory.terms);
      } else {
        add_by_column<E, kWidth>(grad, columns.value, values, clip, tile, memory.terms);
      }
    }
    const float scale = kept_scale(call.sizes);
    DIETMT_UNROLL
    for (int n = 0; n < kTile / 8; ++n) {
      DIETMT_UNROLL
      for (int e = 0; e < 4; ++e) {
        const int row = warp_index() * kWarpRows + lane_index() / 4 + e / 2 * 8;
        const int column = 8 * n + 2 * (lane_index() % 4) + e % 2;
        const int query = kQueryRows ? row : column;
        const float probability =
            exp2_fast((scores.value[n][e] - memory.normalizer[query]) * kLog2E);
        const bool kept =
            !dropout.used() || dropout.keeps(tile.query(row, column), tile.key(row, column));
        const float factor = kept ? scale : 0.0f;
        scores.value[n][e] = probability * factor;
        grad.value[n][e] = probability * (grad.value[n][e] * factor - memory.delta[query]);
      }
    }
    return grad;
  }

  /// sums += grad_scores table[offset] for a table that belongs to the rows, and the table's own
  /// gradient: partial[offset] += grad_scores rows. partial may be null.
  DIETMT_DEVICE static void through_table(WarpRows<kWidth>& sums, Scores& grad_scores,
                                          const HeadTable& table, int64_t clip, float* partial,
                                          float scale, const Tile<kQueryRows>& tile, int head,
                                          const Memory& memory) {
    const TermMemory<E>& terms = memory.terms;
    const Window window = window_of(tile, clip);
    load_chunk<E, kWidth>(terms.chunk, head_table(table, head), window);
    scatter_band(terms.band, grad_scores, tile, window);
    multiply_band<E, kWidth>(sums, terms.band, terms.chunk, window);
    if (partial == nullptr) return;
    add_table_gradient<E, kWidth>(partial, terms.band, memory.rows.content, window, scale);
  }
};

}  // namespace dietmt::kernels
