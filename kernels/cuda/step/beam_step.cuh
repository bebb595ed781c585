// The choice of beam search on a GPU (DeviceBeamStep), in two kernels: a block for each row finds
// its log-sum-exp and its 2 K best tokens (beam_rows.cuh); a warp for each sentence merges the rows
// of its hypotheses.
#pragma once

#include "kernels/cuda/primitives.h"
#include "kernels/cuda/step/beam_rows.cuh"
#include "kernels/device_kernels.h"

namespace dietmt::kernels {

/// One warp: lane l holds candidates l, l + 32, .. of the K C of a sentence.
class BeamMergeBlock {
 public:
  using Arguments = DeviceBeamStep;
  static constexpr int kBlockThreads = kWarpThreads;
  static constexpr int kMost = kWidestStepBeam * kStepCandidates;

  static size_t shared_bytes(const Arguments&) { return sizeof(Shared); }
  static BlockIndex grid(const Arguments& call) { return {static_cast<int>(call.sentences), 1, 1}; }

  static DIETMT_DEVICE void run(const Arguments& call, BlockIndex block, char* memory) {
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    load(call, block.x, shared);
    sync_block();
    rank(call, shared);
    sync_block();
    if (thread_index() == 0) write(call, block.x, shared);
  }

 private:
  struct Shared {
    double sum[kMost];
    float log_prob[kMost];
    int32_t token[kMost];
    int32_t order[kStepCandidates];  // of the best
  };

  static DIETMT_DEVICE int of_row(const DeviceBeamStep& call) {
    return static_cast<int>(2 * call.beam);
  }

  static DIETMT_DEVICE void load(const DeviceBeamStep& call, int64_t sentence, Shared& shared) {
    const int count = of_row(call), all = static_cast<int>(call.beam) * count;
    for (int i = thread_index(); i < all; i += kBlockThreads) {
      const int64_t row = sentence * call.beam + i / count;
      shared.log_prob[i] = call.row_log_probs[row * count + i % count];
      shared.token[i] = call.row_tokens[row * count + i % count];
      const double sum = call.sums[row] + static_cast<double>(shared.log_prob[i]);
      shared.sum[i] = sum > kNoLogit ? sum : kNoLogit;  // NaN would have no rank
    }
  }

  // The rank of a candidate is the number of better ones, which all threads count side by side.
  static DIETMT_DEVICE void rank(const DeviceBeamStep& call, Shared& shared) {
    const int count = of_row(call), all = static_cast<int>(call.beam) * count;
    for (int i = thread_index(); i < all; i += kBlockThreads) {
      int better = 0;
      for (int j = 0; j < all; ++j)
        better +=
            shared.sum[j] > shared.sum[i] || (shared.sum[j] == shared.sum[i] && j < i) ? 1 : 0;
      if (better < count) shared.order[better] = i;
    }
  }

  static DIETMT_DEVICE void write(const DeviceBeamStep& call, int64_t sentence, Shared& shared) {
    const int count = of_row(call);
    const int64_t first = sentence * call.beam;
    int64_t open = 0;
    for (int c = 0; c < count; ++c) {
      const int i = shared.order[c];
      const bool possible = shared.sum[i] > kNoLogit;
      int32_t* candidate = call.candidates + (sentence * count + c) * 3;
      candidate[0] = i / count;
      candidate[1] = shared.token[i];
      candidate[2] = static_cast<int32_t>(bits_of(possible ? shared.log_prob[i] : kNoLogit));
      if (!possible || shared.token[i] == call.end || open == call.beam) continue;
      call.sums[first + open] = shared.sum[i];
      call.tokens[first + open] = shared.token[i];
      call.parents[first + open] = first + i / count;
      ++open;
    }
    for (; open < call.beam; ++open) {
      call.sums[first + open] = kNoLogit;
      call.tokens[first + open] = call.end;
      call.parents[first + open] = first;
    }
  }
};

template <typename Launcher>
void beam_step_on(Launcher& launcher, const DeviceBeamStep& call) {
  const auto read_rows = [&]<typename E>(E) {
    launcher.template launch<BeamRowBlock<E>>(BeamRowBlock<E>::grid(call), call);
  };
  if (call.type == ElementType::kBFloat16)
    read_rows(BFloat16());
  else if (call.type == ElementType::kHalf)
    read_rows(Half());
  else
    read_rows(float());
  launcher.template launch<BeamMergeBlock>(BeamMergeBlock::grid(call), call);
}

}  // namespace dietmt::kernels
