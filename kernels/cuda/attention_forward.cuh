// The forward pass: a block owns 128 queries of one head and streams the keys and values of their
// sentence, or sentences, past them with the running softmax of Milakov and Gimelshein 2018.
#pragma once

#include "kernels/cuda/score_terms.cuh"

namespace dietmt::kernels {

/// grid: the list of tiles of queries, times heads. In a tile of several sentences, the rows of
/// each see its columns.
template <typename Element, int kHeadWidth, TermClass kTermClass>
struct AttentionForwardBlock {
  using Arguments = ForwardArguments;
  using E = Element;
  static constexpr int kWidth = kHeadWidth;
  static constexpr TermClass kTerms = kTermClass;
  static constexpr int kColumns = kWidth > 96 && kIsFloat<E>              ? 16
                                  : has_late_terms(kTerms) || kWidth > 96 ? 32
                                                                          : 64;
  using S = Shape<E, kWidth, kTerms, true, kColumns, false>;
  using Scores = typename S::Scores;
  using TileOf = typename S::TileOf;
  static constexpr int kStages = 2;
  // Left to itself, the compiler spills registers for the sake of a third block.
  static constexpr int kBlocksTogether = 2;
  static constexpr int kSize = kColumns * kStride<kWidth, E>;

  struct Memory {
    E* queries;
    E* keys;                   // [kStages] tiles
    E* values;                 // [kStages] tiles
    uint64_t* dropout_keys;    // [kWarps]
    uint32_t* dropout_starts;  // [kRows]
    TermMemory<S> terms;
  };

  /// A thread's rows: maximum of the scores and sum of 2^(score - maximum), the latter over only
  /// the columns of this thread. Of row own_row(lane_index() % 4), the sum without dropped scores
  /// where all its offsets have the first, or the last, entry of relative_values.
  struct Softmax {
    float maximum[kSlots];
    float sum[kSlots];
    float first_sum;
    float last_sum;
  };

  DIETMT_HOST_DEVICE static Memory take_memory(SharedMemory& shared, const AttentionForward& call) {
    Memory memory;
    memory.queries = shared.take<E>(kRows * kStride<kWidth, E>);
    memory.keys = shared.take<E>(kStages * kSize);
    memory.values = shared.take<E>(kStages * kSize);
    memory.dropout_keys = shared.take<uint64_t>(kWarps);
    memory.dropout_starts = shared.take<uint32_t>(kRows);
    memory.terms = take_term_memory<S>(shared, call.terms.tables);
    return memory;
  }

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const ForwardArguments& arguments) {
    SharedMemory shared(nullptr);
    take_memory(shared, arguments.call);
    return shared.used();
  }

  /// Scores become 2^(scale (score - maximum)), with late_scale; the output so far is scaled to the
  /// new maximum.
  DIETMT_DEVICE static void update(Softmax& softmax, Scores& scores, float scale,
                                   WarpRows<kWidth>& output) {
    float maximum[kSlots];
    DIETMT_UNROLL
    for (int slot = 0; slot < kSlots; ++slot) maximum[slot] = softmax.maximum[slot];
    scores.for_each(
        [&](int, int, float& score, int slot) { maximum[slot] = fmaxf(score, maximum[slot]); });
    float factor[kSlots];
    float shift[kSlots];
    DIETMT_UNROLL
    for (int slot = 0; slot < kSlots; ++slot) {
      DIETMT_UNROLL
      for (int lane = 1; lane < 4; lane *= 2) {
        maximum[slot] = fmaxf(shuffle_xor(maximum[slot], lane), maximum[slot]);
      }
      // Rows that see no key yet keep the maximum -infinity, which must not be subtracted. The
      // factor is exactly 1 while the maximum stays, so that no rounding adds up over the tiles.
      const bool empty = maximum[slot] == -std::numeric_limits<float>::infinity();
      const float seen = empty ? 0.0f : maximum[slot];
      shift[slot] = seen * scale;
      factor[slot] = exp2_fast((softmax.maximum[slot] - seen) * scale);
      softmax.maximum[slot] = maximum[slot];
      softmax.sum[slot] *= factor[slot];
    }
    if constexpr (has_vectors(kTerms)) {
      const int slot = recomputed(lane_index()) % 4;
      const float low = slot == 0 ? factor[0] : factor[1];
      const float high = slot == 2 ? factor[2] : factor[3];
      softmax.first_sum *= slot < 2 ? low : high;
      softmax.last_sum *= slot < 2 ? low : high;
    }
    scores.for_each([&](int, int, float& score, int slot) {
      score = exp2_fast(fmaf(score, scale, -shift[slot]));
      softmax.sum[slot] += score;
    });
    output.for_each([&](int, int, float& sum, int slot) { sum *= factor[slot]; });
  }

  DIETMT_DEVICE static void drop(Scores& scores, const KeptBits<S>& kept) {
    DIETMT_UNROLL
    for (int slot = 0; slot < kSlots; ++slot) {
      DIETMT_UNROLL
      for (int n = 0; n < kColumns / 8; ++n) {
        DIETMT_UNROLL
        for (int e = 0; e < 2; ++e) {
          float& score = scores.value[slot / 2][n][slot % 2 * 2 + e];
          score = kept.keeps(slot, n, e) ? score : 0.0f;
        }
      }
    }
  }

  /// Adds the scores of rows whose offsets all have the same entry of relative_values.
  DIETMT_DEVICE static void add_end_sums(Softmax& softmax, const Scores& scores, int64_t clip,
                                         const TileOf& tile) {
    add_single_rows<S>(scores, clip, tile, [&](Entries entry, float sum) {
      softmax.first_sum += entry == Entries::kFirst ? sum : 0.0f;
      softmax.last_sum += entry == Entries::kLast ? sum : 0.0f;
    });
  }

  /// output += scores (values + relative values), without dropped scores. Where the offsets of rows
  /// all have the same entry, add_values_at_ends adds it.
  DIETMT_DEVICE static void add_values(WarpRows<kWidth>& output, Softmax& softmax, Scores& scores,
                                       const E* values, const CallView& view, const TileOf& tile,
                                       const ColumnRange& columns_seen, const Memory& block) {
    const TermMemory<S>& memory = block.terms;
    const bool works = !columns_seen.empty();
    const ConvertedTable& table = view.converted.relative_values;
    const int64_t clip = view.call.terms.value_clip;
    const bool several =
        has_vectors(kTerms) && table.data != nullptr && tile.entries(clip) == Entries::kSeveral;
    if constexpr (has_vectors(kTerms)) {
      if (several) replace_chunk<S>(table, clip, view, tile, memory);
    }
    if (works) {
      if (view.dropout.threshold > 0) drop(scores, kept_bits<S>(view, block.dropout_starts, tile));
      multiply<E, kStride<kWidth, E>>(output, scores, values, columns_seen);
    }
    if constexpr (has_vectors(kTerms)) {
      if (table.data == nullptr) return;
      if (works) add_end_sums(softmax, scores, clip, tile);
      if (!several) return;
      await_chunk();
      if (works) multiply_offsets<S>(output, scores, clip, tile, memory);
    }
  }

  /// output += the entries that add_values left out, after the last tile.
  DIETMT_DEVICE static void add_values_at_ends(WarpRows<kWidth>& output, const Softmax& softmax,
                                               const TermMemory<S>& memory) {
    const int row = own_row(lane_index() % 4);
    memory.row_sums[row] = softmax.first_sum;
    memory.row_sums[kRows + row] = softmax.last_sum;
    add_ends<S>(output, ends_of(memory, EndTable::kOfValues), memory.row_sums);
  }

  DIETMT_DEVICE static void finish(Softmax& softmax, WarpRows<kWidth>& output, const CallView& view,
                                   const Sentence& sentence, int start) {
    const AttentionForward& call = view.call;
    const int head = view.head;
    const int count = sentence.queries - start;
    const int width = static_cast<int>(call.sizes.head_width);
    const int64_t first = sentence.query_begin + start;
    float factor[kSlots];
    DIETMT_UNROLL
    for (int slot = 0; slot < kSlots; ++slot) {
      float sum = softmax.sum[slot];
      DIETMT_UNROLL
      for (int lane = 1; lane < 4; lane *= 2) sum += shuffle_xor(sum, lane);
      factor[slot] = sum > 0.0f ? view.dropout.scale / sum : 0.0f;
      const int row = own_row(slot);
      if (call.log_normalizer == nullptr || row >= count || lane_index() % 4 != 0) continue;
      // +infinity makes every probability of an empty row zero in backward.
      call.log_normalizer[head * query_tokens(call.sizes) + first + row] =
          sum > 0.0f ? softmax.maximum[slot] * late_scale<S>(view) * kLn2 + logf(sum)
                     : std::numeric_limits<float>::infinity();
    }
    store_rows<E, kWidth>(output, factor, call.output, first, count, head, width);
    if (call.output_rest.data == nullptr) return;
    if constexpr (!kIsFloat<E>) {
      output.for_each([&](int, int, float& value, int slot) {
        const float exact = value * factor[slot];
        value = exact - low_float<E>(pack<E>(exact, 0.0f));
      });
      constexpr float kOne[kSlots] = {1.0f, 1.0f, 1.0f, 1.0f};
      store_rows<E, kWidth>(output, kOne, call.output_rest, first, count, head, width);
    }
  }

  DIETMT_DEVICE static void run_tile(const CallView& view, const Sentence& sentence, int start,
                                     const Memory& memory) {
    const AttentionForward& call = view.call;
    const int width = static_cast<int>(call.sizes.head_width);
    int keys = sentence.keys;
    if (call.sizes.causal && start + kRows < keys) keys = start + kRows;
    const auto tile_at = [&](int index) {
      return TileOf{start, index * kColumns, sentence.queries - start,
                    sentence.keys - index * kColumns};
    };
    const auto load = [&](int index, int stage) {
      if (index * kColumns < keys) {
        const int64_t first = sentence.key_begin + index * kColumns;
        const int count = sentence.keys - index * kColumns;
        load_rows<E, kWidth, kColumns>(memory.keys + stage * kSize, call.keys, first, count,
                                       view.head, width);
        load_rows<E, kWidth, kColumns>(memory.values + stage * kSize, call.values, first, count,
                                       view.head, width);
        if constexpr (has_offset_bias(kTerms)) {
          start_offset_bias<S>(memory.terms.offset_bias + stage * S::kOffsets, call.terms,
                               tile_at(index), view.head);
        }
      }
      commit_copies();
    };
    load_rows<E, kWidth, kRows>(memory.queries, call.queries, sentence.query_begin + start,
                                sentence.queries - start, view.head, width);
    if constexpr (has_vectors(kTerms)) start_all_ends<S>(view, memory.terms);
    load(0, 0);
    store_sentence_columns<true>(memory.terms.sentence_columns, call.sizes, sentence, start);
    sync_warp();
    store_dropout_start(view, sentence, start + thread_index(),
                        memory.dropout_starts + thread_index());

    Softmax softmax;
    for (int slot = 0; slot < kSlots; ++slot) {
      softmax.maximum[slot] = -std::numeric_limits<float>::infinity();
      softmax.sum[slot] = 0.0f;
    }
    softmax.first_sum = 0.0f;
    softmax.last_sum = 0.0f;
    WarpRows<kWidth> output;
    output.zero();
    for (int index = 0; index * kColumns < keys; ++index) {
      const TileOf tile = tile_at(index);
      const int stage = index % kStages;
      start_late_terms<S>(view, tile, memory.terms);
      load(index + 1, 1 - stage);
      if constexpr (has_pairs(kTerms)) load_segments<S>(memory.terms, call.terms, sentence, tile);
      wait_copies<has_late_terms(kTerms) ? 2 : 1>();
      sync_block();
      Scores scores;
      compute_scores<S>(scores, memory.queries, memory.keys + stage * kSize,
                        memory.terms.offset_bias + stage * S::kOffsets, view, tile,
                        warp_columns<S>(view, tile, memory.terms), memory.terms);
      // Found again: kept meanwhile, it costs the kernel of all terms its last registers.
      const ColumnRange columns = warp_columns<S>(view, tile, memory.terms);
      if (!columns.empty()) update(softmax, scores, late_scale<S>(view), output);
      add_values(output, softmax, scores, memory.values + stage * kSize, view, tile, columns,
                 memory);
      sync_block();
    }
    wait_copies<0>();
    if constexpr (has_vectors(kTerms)) {
      const int end = (keys + kColumns - 1) / kColumns;
      if (view.converted.relative_values.data != nullptr &&
          meet_single_entries(tile_at, 0, end, call.terms.value_clip)) {
        add_values_at_ends(output, softmax, memory.terms);
      }
    }
    finish(softmax, output, view, sentence, start);
  }

  DIETMT_DEVICE static void run(const ForwardArguments& arguments, BlockIndex block, char* shared) {
    const AttentionSizes& sizes = arguments.call.sizes;
    const int heads = static_cast<int>(sizes.heads);
    const TileOfSentence place = arguments.query_tiles.data[block.x / heads];
    const Sentence sentence = sentence_of(sizes, place);
    const int start = first_row(place);
    if (start >= sentence.queries) return;
    const int head = block.x % heads;
    SharedMemory carver(shared);
    const Memory memory = take_memory(carver, arguments.call);
    const CallView view{
        arguments.call, arguments.converted,      arguments.dropout, memory.dropout_keys,
        head,           arguments.scales.of[head]};
    store_dropout_key(arguments.dropout, memory.dropout_keys);
    clear_term_memory<S>(memory.terms);
    run_tile(view, sentence, start, memory);
  }
};

}  // namespace dietmt::kernels
