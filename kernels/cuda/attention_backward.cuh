// The backward pass, one launch whose blocks all recompute the scores (Dao et al. 2022). With P the
// probabilities, F the dropout factors 0 or 1 / (1 - p), and D_i = output_i . grad_output_i:
//   grad_P = F (grad_output . (v + relative_values)),  grad_score = P (grad_P - D)
// Blocks of queries sum grad_queries over the keys, blocks of keys grad_keys and grad_values over
// the queries; each also sums the gradients of the tables that belong to its rows. Where a block
// has all queries of its sentences, it has the gradients of their keys and values, too, in a single
// pass of five products a score, not seven.
#pragma once

#include "kernels/cuda/backward_keys.cuh"
#include "kernels/cuda/backward_queries.cuh"

namespace dietmt::kernels {

/// Runs a part of the backward pass in block `block` of those that have its sums of the same
/// columns.
template <typename Part>
DIETMT_DEVICE void run_gradient_part(const BackwardArguments& arguments, int block, int half,
                                     const Split& split, char* shared) {
  const AttentionForward& call = arguments.call.forward;
  const int heads = static_cast<int>(call.sizes.heads);
  const int slot = block / heads;
  const BlockPlace place{slot / split.groups, slot % split.groups, block % heads, half};
  // No values of one part are kept in registers while another runs.
  SharedMemory carver(shared + recomputed(0));
  const typename Part::Memory memory = Part::Tiles::take_memory(carver, call);
  const CallView view{call,
                      arguments.converted,
                      arguments.dropout,
                      memory.dropout_keys,
                      place.head,
                      arguments.scales.of[place.head]};
  store_dropout_key(arguments.dropout, memory.dropout_keys);
  sync_warp();
  clear_term_memory<typename Part::S>(memory.terms);
  Part::Tiles::for_own_tiles(arguments, split, place, [&](const Sentence& sentence, int start) {
    Part::run_tile(arguments, view, sentence, start, place, memory);
  });
  Part::finish(arguments, view, place, memory);
}

/// The whole pass where each block has all queries of its sentences. grid: the blocks of queries.
template <typename E, int kWidth, TermClass kTerms>
struct SinglePassBackwardBlock {
  using Arguments = BackwardArguments;
  static constexpr int kBlocksTogether = 2;
  using Part = BackwardOfQueries<E, kWidth, kTerms, GradientPart::kAll>;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const BackwardArguments& arguments) {
    return Part::Tiles::shared_bytes(arguments.call.forward);
  }

  DIETMT_DEVICE static void run(const BackwardArguments& arguments, BlockIndex block,
                                char* shared) {
    run_gradient_part<Part>(arguments, block.x, 0, arguments.query_split, shared);
  }
};

/// grid: the blocks of queries, then those of keys, then those of values where keys and values are
/// split; each once for each half of the columns. Runs after PrepareBlock, which leaves D.
template <typename E, int kWidth, TermClass kTerms>
struct AttentionBackwardBlock {
  using Arguments = BackwardArguments;
  static constexpr bool kSplitKeys = splits_keys(kTerms, kWidth);
  static constexpr int kHalves = sum_halves(kTerms, kWidth);
  static constexpr int kBlocksTogether = 2;  // as in forward
  using OfQueries = BackwardOfQueries<E, kWidth, kTerms>;
  using OfKeys = BackwardOfKeys<E, kWidth, kTerms,
                                kSplitKeys ? GradientPart::kKeys : GradientPart::kKeysAndValues>;
  using OfValues = BackwardOfKeys<E, kWidth, kTerms, GradientPart::kValues>;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const BackwardArguments& arguments) {
    const AttentionForward& call = arguments.call.forward;
    const int64_t queries = OfQueries::Tiles::shared_bytes(call);
    const int64_t keys = OfKeys::Tiles::shared_bytes(call);
    const int64_t values = kSplitKeys ? OfValues::Tiles::shared_bytes(call) : 0;
    const int64_t largest = queries > keys ? queries : keys;
    return largest > values ? largest : values;
  }

  DIETMT_DEVICE static int half_of(int block, int blocks) {
    return kHalves == 1 ? 0 : block / blocks;
  }

  DIETMT_DEVICE static void run(const BackwardArguments& arguments, BlockIndex block,
                                char* shared) {
    const int heads = static_cast<int>(arguments.call.forward.sizes.heads);
    const Split& queries = arguments.query_split;
    const Split& keys = arguments.key_split;
    const int query_blocks = queries.parts * queries.groups * heads;
    const int key_blocks = keys.parts * keys.groups * heads;
    int index = recomputed(block.x);
    if (index < kHalves * query_blocks) {
      run_gradient_part<OfQueries>(arguments, index % query_blocks, half_of(index, query_blocks),
                                   queries, shared);
      return;
    }
    index -= kHalves * query_blocks;
    if (index < kHalves * key_blocks) {
      run_gradient_part<OfKeys>(arguments, index % key_blocks, half_of(index, key_blocks), keys,
                                shared);
    } else if constexpr (kSplitKeys) {
      index -= kHalves * key_blocks;
      run_gradient_part<OfValues>(arguments, index % key_blocks, half_of(index, key_blocks), keys,
                                  shared);
    }
  }
};

}  // namespace dietmt::kernels
