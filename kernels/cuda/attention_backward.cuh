// The backward pass, two kernels that both recompute the scores (Dao et al. 2022). With P the
// probabilities, F the dropout factors 0 or 1 / (1 - p), and D_i = output_i . grad_output_i:
//   grad_P = F (grad_output . (v + relative_values)),  grad_score = P (grad_P - D)
// Blocks of queries sum grad_queries over the keys, blocks of keys grad_keys and grad_values over
// the queries; each also sums the gradients of the tables that belong to its rows.
#pragma once

#include "kernels/cuda/backward_tiles.cuh"

namespace dietmt::kernels {

/// grid: parts times groups of tiles of queries times heads.
template <typename E, int kWidth>
struct AttentionBackwardQueriesBlock {
  using Arguments = BackwardArguments;
  using Tiles = BackwardTiles<E, kWidth, true>;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const BackwardArguments& arguments) {
    return Tiles::shared_bytes(arguments.call.forward);
  }

  /// x . y of half a row: part 0 or 1.
  DIETMT_DEVICE static float row_product(const HeadRows& x, const HeadRows& y, int64_t token,
                                         int head, int part) {
    const auto at = [&](const HeadRows& rows) {
      return reinterpret_cast<const uint32_t*>(static_cast<const E*>(rows.data) +
                                               token * rows.token_stride + head * kWidth) +
             part * kWidth / 4;
    };
    const uint32_t* left = at(x);
    const uint32_t* right = at(y);
    float sum = 0.0f;
    for (int pair = 0; pair < kWidth / 4; ++pair) {
      sum += low_float<E>(left[pair]) * low_float<E>(right[pair]);
      sum += high_float<E>(left[pair]) * high_float<E>(right[pair]);
    }
    return sum;
  }

  /// D of the tile's queries, by two neighbouring threads each, and their normalisers.
  DIETMT_DEVICE static void load_row_numbers(const BackwardArguments& arguments,
                                             const Sentence& sentence, int start, int head,
                                             const typename Tiles::Memory& memory) {
    const AttentionForward& call = arguments.call.forward;
    const int row = thread_index() / 2;
    const int part = thread_index() % 2;
    const bool valid = start + row < sentence.queries;
    const int64_t token = sentence.query_begin + start + row;
    float sum = 0.0f;
    if (valid) {
      sum = row_product(call.output, arguments.call.grad_output, token, head, part);
      if (call.output_rest.data != nullptr) {
        sum += row_product(call.output_rest, arguments.call.grad_output, token, head, part);
      }
    }
    sum += shuffle_xor(sum, 1);
    if (part != 0) return;
    const int64_t tokens = call.sizes.device_query_offsets.data[call.sizes.sentences];
    memory.delta[row] = sum;
    memory.normalizer[row] = valid ? call.log_normalizer[head * tokens + token] : 0.0f;
    if (valid) arguments.delta[head * tokens + token] = sum;
  }

  DIETMT_DEVICE static void add_table_gradients(const BackwardArguments& arguments,
                                                Scores& probabilities, Scores& grad_scores,
                                                const Tile<true>& tile, BlockIndex block,
                                                const typename Tiles::Memory& memory) {
    const AttentionForward& call = arguments.call.forward;
    const AttentionTables& partials = arguments.partials;
    const TermMemory<E>& scratch = memory.terms;
    const int64_t heads = call.sizes.heads;
    const auto partial = [&](const HeadTable& table) {
      return block_partial(table, arguments.query_split, block, heads);
    };
    if (partials.offset_bias.data != nullptr) {
      const Window window = window_of(tile, call.terms.bias_clip);
      scatter_band(scratch.band, grad_scores, tile, window);
      add_offset_bias_gradient(partial(partials.offset_bias), scratch.band, window);
    }
    if (partials.relative_values.data != nullptr) {
      const Window window = window_of(tile, call.terms.value_clip);
      scatter_band(scratch.band, probabilities, tile, window);
      add_table_gradient<E, kWidth>(partial(partials.relative_values), scratch.band,
                                    memory.rows.value, window, 1.0f);
    }
    if (partials.segment_bias.data != nullptr) {
      add_segment_bias_gradient(partial(partials.segment_bias), grad_scores, scratch.offset_bias,
                                scratch.row_segments, scratch.column_segments,
                                static_cast<int>(call.terms.segment_kinds));
    }
    if (partials.position_bias.data != nullptr) {
      add_position_bias_gradient(part_partial(partials.position_bias, block, heads), grad_scores,
                                 tile, call.sizes);
    }
    if (partials.query_features.data != nullptr) {
      add_feature_gradient<E, kWidth>(part_partial(partials.query_features, block, heads),
                                      grad_scores,
                                      head_table(call.terms.tables.key_features, block.z),
                                      call.terms.rank, tile, scratch.chunk);
    }
  }

  DIETMT_DEVICE static void run_tile(const BackwardArguments& arguments, const Sentence& sentence,
                                     int start, BlockIndex block,
                                     const typename Tiles::Memory& memory) {
    const AttentionForward& call = arguments.call.forward;
    const AttentionTables& tables = call.terms.tables;
    const int head = block.z;
    const int count = sentence.queries - start;
    const int64_t first = sentence.query_begin + start;
    load_rows<E, kWidth>(memory.rows.content, call.queries, first, count, head);
    load_rows<E, kWidth>(memory.rows.value, arguments.call.grad_output, first, count, head);
    load_row_numbers(arguments, sentence, start, head, memory);
    const Dropout dropout(call.sizes, sentence, head);
    const float scale = arguments.scales.of[head];
    int keys = sentence.keys;
    if (call.sizes.causal && start + kTile < keys) keys = start + kTile;
    WarpRows<kWidth> grad_queries;
    grad_queries.zero();
    const auto load = [&](int index, const typename Tiles::Pair& columns) {
      const int64_t key = sentence.key_begin + index * kTile;
      const int key_count = sentence.keys - index * kTile;
      load_rows<E, kWidth>(columns.content, call.keys, key, key_count, head);
      load_rows<E, kWidth>(columns.value, call.values, key, key_count, head);
    };
    const int end = (keys + kTile - 1) / kTile;
    Tiles::stream(memory, 0, end, load, [&](int index, const typename Tiles::Pair& columns) {
      const Tile<true> tile{start, index * kTile, count, sentence.keys - index * kTile};
      load_term_vectors(memory.terms, call, sentence, tile, head);
      sync_block();
      Scores scores;
      Scores grad = Tiles::differentiate(scores, columns, arguments, tile, dropout, head, memory);
      multiply<E, kWidth>(grad_queries, grad, columns.content);
      if (tables.relative_keys.data != nullptr) {
        const HeadTable& partial = arguments.partials.relative_keys;
        float* sums = partial.data == nullptr
                          ? nullptr
                          : block_partial(partial, arguments.query_split, block, call.sizes.heads);
        Tiles::through_table(grad_queries, grad, tables.relative_keys, call.terms.key_clip, sums,
                             scale, tile, head, memory);
      }
      add_table_gradients(arguments, scores, grad, tile, block, memory);
    });
    const float factor[2] = {scale, scale};
    store_rows<E, kWidth>(grad_queries, factor, arguments.call.grad_queries, first, count, head);
  }

  DIETMT_DEVICE static void run(const BackwardArguments& arguments, BlockIndex block,
                                char* shared) {
    const AttentionForward& call = arguments.call.forward;
    SharedMemory carver(shared);
    const typename Tiles::Memory memory = Tiles::take_memory(carver, call);
    const BlockIndex place = Tiles::place_of(block, arguments.query_split, call.sizes.heads);
    Tiles::for_own_tiles(call.sizes, arguments.query_split, place,
                         [&](const Sentence& sentence, int start) {
                           run_tile(arguments, sentence, start, place, memory);
                         });
  }
};

/// grid: parts times groups of tiles of keys times heads. Runs after the kernel above, which leaves
/// D.
template <typename E, int kWidth>
struct AttentionBackwardKeysBlock {
  using Arguments = BackwardArguments;
  using Tiles = BackwardTiles<E, kWidth, false>;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const BackwardArguments& arguments) {
    return Tiles::shared_bytes(arguments.call.forward);
  }

  DIETMT_DEVICE static void load_query_numbers(const BackwardArguments& arguments,
                                               const Sentence& sentence, const Tile<false>& tile,
                                               int head, const typename Tiles::Memory& memory) {
    const AttentionForward& call = arguments.call.forward;
    const int query = thread_index();
    if (query >= kTile) return;
    const int64_t tokens = call.sizes.device_query_offsets.data[call.sizes.sentences];
    const int64_t at = head * tokens + sentence.query_begin + tile.column_start + query;
    const bool valid = query < tile.columns;
    memory.normalizer[query] = valid ? call.log_normalizer[at] : 0.0f;
    memory.delta[query] = valid ? arguments.delta[at] : 0.0f;
  }

  DIETMT_DEVICE static void add_gradients(const BackwardArguments& arguments, Scores& grad_scores,
                                          WarpRows<kWidth>& grad_keys, const Tile<false>& tile,
                                          BlockIndex block, const typename Tiles::Memory& memory) {
    const AttentionForward& call = arguments.call.forward;
    const AttentionTables& tables = call.terms.tables;
    const AttentionTables& partials = arguments.partials;
    const int64_t heads = call.sizes.heads;
    const int head = block.z;
    if (tables.relative_queries.data != nullptr) {
      const HeadTable& partial = partials.relative_queries;
      float* sums = partial.data == nullptr
                        ? nullptr
                        : block_partial(partial, arguments.key_split, block, heads);
      Tiles::through_table(grad_keys, grad_scores, tables.relative_queries, call.terms.query_clip,
                           sums, arguments.scales.of[head], tile, head, memory);
    }
    if (partials.key_features.data != nullptr) {
      add_feature_gradient<E, kWidth>(part_partial(partials.key_features, block, heads),
                                      grad_scores, head_table(tables.query_features, head),
                                      call.terms.rank, tile, memory.terms.chunk);
    }
  }

  DIETMT_DEVICE static void run_tile(const BackwardArguments& arguments, const Sentence& sentence,
                                     int start, BlockIndex block,
                                     const typename Tiles::Memory& memory) {
    const AttentionForward& call = arguments.call.forward;
    const int head = block.z;
    const int count = sentence.keys - start;
    const int64_t first = sentence.key_begin + start;
    load_rows<E, kWidth>(memory.rows.content, call.keys, first, count, head);
    load_rows<E, kWidth>(memory.rows.value, call.values, first, count, head);
    const Dropout dropout(call.sizes, sentence, head);
    WarpRows<kWidth> grad_keys;
    WarpRows<kWidth> grad_values;
    grad_keys.zero();
    grad_values.zero();
    const auto load = [&](int index, const typename Tiles::Pair& columns) {
      const int64_t query = sentence.query_begin + index * kTile;
      const int queries = sentence.queries - index * kTile;
      load_rows<E, kWidth>(columns.content, call.queries, query, queries, head);
      load_rows<E, kWidth>(columns.value, arguments.call.grad_output, query, queries, head);
    };
    const int begin = call.sizes.causal ? start / kTile : 0;
    const int end = (sentence.queries + kTile - 1) / kTile;
    Tiles::stream(memory, begin, end, load, [&](int index, const typename Tiles::Pair& columns) {
      const Tile<false> tile{start, index * kTile, count, sentence.queries - index * kTile};
      load_term_vectors(memory.terms, call, sentence, tile, head);
      load_query_numbers(arguments, sentence, tile, head, memory);
      sync_block();
      Scores scores;
      Scores grad = Tiles::differentiate(scores, columns, arguments, tile, dropout, head, memory);
      multiply<E, kWidth>(grad_values, scores, columns.value);
      multiply<E, kWidth>(grad_keys, grad, columns.content);
      add_gradients(arguments, grad, grad_keys, tile, block, memory);
    });
    const float scale = arguments.scales.of[head];
    const float key_factor[2] = {scale, scale};
    const float value_factor[2] = {1.0f, 1.0f};
    store_rows<E, kWidth>(grad_keys, key_factor, arguments.call.grad_keys, first, count, head);
    store_rows<E, kWidth>(grad_values, value_factor, arguments.call.grad_values, first, count,
                          head);
  }

  DIETMT_DEVICE static void run(const BackwardArguments& arguments, BlockIndex block,
                                char* shared) {
    const AttentionForward& call = arguments.call.forward;
    SharedMemory carver(shared);
    const typename Tiles::Memory memory = Tiles::take_memory(carver, call);
    const BlockIndex place = Tiles::place_of(block, arguments.key_split, call.sizes.heads);
    Tiles::for_own_tiles(call.sizes, arguments.key_split, place,
                         [&](const Sentence& sentence, int start) {
                           run_tile(arguments, sentence, start, place, memory);
                         });
  }
};

}  // namespace dietmt::kernels
