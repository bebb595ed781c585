// The forward pass: a block owns 64 queries of one head of one sentence and streams the keys and
// values past them with the running softmax of Milakov and Gimelshein 2018.
#pragma once

#include "kernels/cuda/score_terms.cuh"

namespace dietmt::kernels {

/// grid: the list of tiles of queries, times heads.
template <typename E, int kWidth>
struct AttentionForwardBlock {
  using Arguments = ForwardArguments;
  static constexpr int kStages = 2;
  static constexpr int kSize = kTile * kStride<kWidth>;

  struct Memory {
    E* queries;
    E* keys;    // [kStages] tiles
    E* values;  // [kStages] tiles
    TermMemory<E> terms;
  };

  /// A thread's two rows: maximum of the scores and sum of exp(score - maximum), the latter over
  /// only the columns of this thread.
  struct Softmax {
    float maximum[2] = {-std::numeric_limits<float>::infinity(),
                        -std::numeric_limits<float>::infinity()};
    float sum[2] = {0.0f, 0.0f};
  };

  DIETMT_HOST_DEVICE static Memory take_memory(SharedMemory& shared, const AttentionForward& call) {
    Memory memory;
    memory.queries = shared.take<E>(kSize);
    memory.keys = shared.take<E>(kStages * kSize);
    memory.values = shared.take<E>(kStages * kSize);
    memory.terms = take_term_memory<E, kWidth>(shared, call.terms.tables, false);
    return memory;
  }

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const ForwardArguments& arguments) {
    SharedMemory shared(nullptr);
    take_memory(shared, arguments.call);
    return shared.used();
  }

  /// Scores become exp(score - maximum); the output so far is scaled to the new maximum.
  DIETMT_DEVICE static void update(Softmax& softmax, Scores& scores, WarpRows<kWidth>& output) {
    float maximum[2] = {softmax.maximum[0], softmax.maximum[1]};
    scores.for_each([&](int, int, float& score, int half) {
      maximum[half] = score > maximum[half] ? score : maximum[half];
    });
    float factor[2];
    float shift[2];
    DIETMT_UNROLL
    for (int half = 0; half < 2; ++half) {
      DIETMT_UNROLL
      for (int lane = 1; lane < 4; lane *= 2) {
        const float other = shuffle_xor(maximum[half], lane);
        maximum[half] = other > maximum[half] ? other : maximum[half];
      }
      // Rows that see no key yet keep the maximum -infinity, which must not be subtracted.
      const bool empty = maximum[half] == -std::numeric_limits<float>::infinity();
      shift[half] = empty ? 0.0f : maximum[half] * kLog2E;
      factor[half] = exp2_fast(softmax.maximum[half] * kLog2E - shift[half]);
      softmax.maximum[half] = maximum[half];
      softmax.sum[half] *= factor[half];
    }
    scores.for_each([&](int, int, float& score, int half) {
      score = exp2_fast(score * kLog2E - shift[half]);
      softmax.sum[half] += score;
    });
    output.for_each([&](int, int, float& sum, int half) { sum *= factor[half]; });
  }

  /// output += scores (values + relative values), without dropped scores.
  DIETMT_DEVICE static void add_values(WarpRows<kWidth>& output, Scores& scores, const E* values,
                                       const AttentionForward& call, const Dropout& dropout,
                                       const Tile<true>& tile, int head,
                                       const TermMemory<E>& memory) {
    if (dropout.used()) {
      scores.for_each([&](int row, int column, float& score, int) {
        if (!dropout.keeps(tile.query(row, column), tile.key(row, column))) score = 0.0f;
      });
    }
    multiply<E, kWidth>(output, scores, values);
    const HeadTable& table = call.terms.tables.relative_values;
    if (table.data == nullptr) return;
    const Window window = window_of(tile, call.terms.value_clip);
    load_chunk<E, kWidth>(memory.chunk, head_table(table, head), window);
    scatter_band(memory.band, scores, tile, window);
    multiply_band<E, kWidth>(output, memory.band, memory.chunk, window);
  }

  DIETMT_DEVICE static void finish(Softmax& softmax, const WarpRows<kWidth>& output,
                                   const AttentionForward& call, const Sentence& sentence,
                                   int start, int head) {
    const int count = sentence.queries - start;
    const float scale = kept_scale(call.sizes);
    float factor[2];
    DIETMT_UNROLL
    for (int half = 0; half < 2; ++half) {
      float sum = softmax.sum[half];
      DIETMT_UNROLL
      for (int lane = 1; lane < 4; lane *= 2) sum += shuffle_xor(sum, lane);
      factor[half] = sum > 0.0f ? scale / sum : 0.0f;
      const int row = warp_index() * kWarpRows + lane_index() / 4 + 8 * half;
      if (call.log_normalizer == nullptr || row >= count || lane_index() % 4 != 0) continue;
      const int64_t tokens = call.sizes.device_query_offsets.data[call.sizes.sentences];
      // +infinity makes every probability of an empty row zero in backward.
      call.log_normalizer[head * tokens + sentence.query_begin + start + row] =
          sum > 0.0f ? softmax.maximum[half] + logf(sum) : std::numeric_limits<float>::infinity();
    }
    const int64_t first = sentence.query_begin + start;
    store_rows<E, kWidth>(output, factor, call.output, first, count, head);
    if (call.output_rest.data == nullptr) return;
    WarpRows<kWidth> rest = output;
    rest.for_each([&](int, int, float& value, int half) {
      const float exact = value * factor[half];
      value = exact - low_float<E>(pack<E>(exact, 0.0f));
    });
    const float one[2] = {1.0f, 1.0f};
    store_rows<E, kWidth>(rest, one, call.output_rest, first, count, head);
  }

  DIETMT_DEVICE static void run_tile(const ForwardArguments& arguments, const Sentence& sentence,
                                     int start, int head, const Memory& memory) {
    const AttentionForward& call = arguments.call;
    int keys = sentence.keys;
    if (call.sizes.causal && start + kTile < keys) keys = start + kTile;
    const auto load = [&](int tile, int stage) {
      if (tile * kTile < keys) {
        const int64_t first = sentence.key_begin + tile * kTile;
        const int count = sentence.keys - tile * kTile;
        load_rows<E, kWidth>(memory.keys + stage * kSize, call.keys, first, count, head);
        load_rows<E, kWidth>(memory.values + stage * kSize, call.values, first, count, head);
      }
      commit_copies();
    };
    load_rows<E, kWidth>(memory.queries, call.queries, sentence.query_begin + start,
                         sentence.queries - start, head);
    load(0, 0);

    const Dropout dropout(call.sizes, sentence, head);
    Softmax softmax;
    WarpRows<kWidth> output;
    output.zero();
    for (int index = 0; index * kTile < keys; ++index) {
      const Tile<true> tile{start, index * kTile, sentence.queries - start,
                            sentence.keys - index * kTile};
      const int stage = index % kStages;
      load(index + 1, 1 - stage);
      load_term_vectors(memory.terms, call, sentence, tile, head);
      wait_copies<1>();
      sync_block();
      Scores scores;
      compute_scores<E, kWidth>(scores, memory.queries, memory.keys + stage * kSize, call,
                                arguments.scales.of[head], tile, head, memory.terms);
      update(softmax, scores, output);
      add_values(output, scores, memory.values + stage * kSize, call, dropout, tile, head,
                 memory.terms);
      sync_block();
    }
    wait_copies<0>();
    finish(softmax, output, call, sentence, start, head);
  }

  DIETMT_DEVICE static void run(const ForwardArguments& arguments, BlockIndex block, char* shared) {
    const AttentionSizes& sizes = arguments.call.sizes;
    const int heads = static_cast<int>(sizes.heads);
    const TileOfSentence place = sizes.device_query_tiles.data[block.x / heads];
    const Sentence sentence = sentence_at(sizes, place.sentence);
    SharedMemory carver(shared);
    const Memory memory = take_memory(carver, arguments.call);
    for (int start = place.tile * kListedRows;
         start < sentence.queries && start < (place.tile + 1) * kListedRows; start += kTile) {
      run_tile(arguments, sentence, start, block.x % heads, memory);
    }
  }
};

}  // namespace dietmt::kernels
