// The backward pass by wgmma and TMA, divided like that of kernels/cuda/attention_backward.cuh:
// blocks of queries sum grad_queries over the keys, blocks of keys grad_keys and grad_values over
// the queries, or one of them where heads are wide; all recompute the scores, in one launch. Two
// warpgroups compute. One warp of a third copies; its warpgroup gives its registers to the others.
#pragma once

#include "kernels/cuda/sm90/backward_keys.cuh"
#include "kernels/cuda/sm90/backward_queries.cuh"

namespace dietmt::kernels {

/// grid: warpgroup_backward_grid(). Runs after PrepareBlock, which leaves D.
template <typename E, int kWidth, TermClass kTerms>
struct WarpgroupBackwardBlock {
  using Arguments = WarpgroupBackwardArguments;
  static constexpr int kBlockThreads = (kGroups + 1) * kWarpgroupThreads;
  static constexpr int kBlocksTogether = 1;  // for the registers of the sums
  // Each thread begins with 168.
  static constexpr int kConsumerRegisters = 232;
  static constexpr int kProducerRegisters = 40;
  static_assert(kGroups * kConsumerRegisters + kProducerRegisters <= (kGroups + 1) * 168);
  using OfQueries = WarpgroupBackwardOfQueries<E, kWidth, kTerms>;
  static constexpr bool kSplitKeys = splits_keys(kTerms, kWidth);
  using OfKeys =
      WarpgroupBackwardOfKeys<E, kWidth, kTerms,
                              kSplitKeys ? GradientPart::kKeys : GradientPart::kKeysAndValues>;
  using OfValues = WarpgroupBackwardOfKeys<E, kWidth, kTerms, GradientPart::kValues>;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const Arguments&) {
    const int64_t queries = OfQueries::Tiles::shared_bytes();
    const int64_t keys = OfKeys::Tiles::shared_bytes();
    return queries > keys ? queries : keys;
  }

  /// Block `block` of a part.
  template <typename Part>
  DIETMT_DEVICE static void run_part(const Arguments& arguments, int block, const Split& split,
                                     char* shared) {
    using Tiles = typename Part::Tiles;
    const AttentionSizes& sizes = arguments.backward.call.forward.sizes;
    const int heads = static_cast<int>(sizes.heads);
    const int part = block / heads;
    const int head = block % heads;
    SharedMemory carver(first_pattern(shared));
    const typename Tiles::Memory memory = Tiles::take_memory(carver);
    if (thread_index() == 0) Tiles::init_barriers(*memory.barriers);
    store_dropout_key(arguments.backward.dropout, memory.dropout_keys);
    sync_block();
    if (group_index() < kGroups) {
      take_registers<kConsumerRegisters>();
      return Part::consume(arguments.backward, part, head, memory);
    }
    give_registers<kProducerRegisters>();
    if (warp_index() > kProducerWarp) return;
    typename Tiles::Producer producer{arguments, memory, {}};
    Tiles::for_own_rows(sizes, part, split.parts, head,
                        [&](const typename Tiles::Place& place) { producer.run(place); });
  }

  DIETMT_DEVICE static void run(const Arguments& arguments, BlockIndex block, char* shared) {
    const BackwardArguments& backward = arguments.backward;
    const int heads = static_cast<int>(backward.call.forward.sizes.heads);
    const int query_blocks = backward.query_split.parts * heads;
    const int key_blocks = backward.key_split.parts * heads;
    int index = block.x;
    if (index < query_blocks) {
      return run_part<OfQueries>(arguments, index, backward.query_split, shared);
    }
    index -= query_blocks;
    if (index < key_blocks) {
      run_part<OfKeys>(arguments, index, backward.key_split, shared);
    } else if constexpr (kSplitKeys) {
      run_part<OfValues>(arguments, index - key_blocks, backward.key_split, shared);
    }
  }
};

}  // namespace dietmt::kernels
