// The choice of beam search on a GPU (DeviceBeamStep), in two kernels: a block for each row finds
// its log-sum-exp and its 2 K best tokens in one pass over the logits; a warp for each sentence
// merges the rows of its hypotheses.
#pragma once

#include <limits>

#include "kernels/cuda/primitives.h"
#include "kernels/cuda/step/vectors.cuh"
#include "kernels/device_kernels.h"

namespace dietmt::kernels {

constexpr int kStepCandidates = 2 * kWidestStepBeam;
constexpr float kNoLogit = -std::numeric_limits<float>::infinity();

/// The best tokens of a thread, best first; of equal logits the smaller token is better.
struct BestTokens {
  float logit[kStepCandidates];
  int32_t token[kStepCandidates];
};

template <typename E>
class BeamRowBlock {
 public:
  using Arguments = DeviceBeamStep;
  static constexpr int kBlockThreads = 256;
  static constexpr int kBlockWarps = kBlockThreads / kWarpThreads;

  static size_t shared_bytes(const Arguments&) { return sizeof(Shared); }
  static BlockIndex grid(const Arguments& call) {
    return {static_cast<int>(call.sentences * call.beam), 1, 1};
  }

  static DIETMT_DEVICE void run(const Arguments& call, BlockIndex block, char* memory) {
    BeamRowBlock row(call, block.x, *reinterpret_cast<Shared*>(memory));
    row.read_logits();
    const float normalizer = row.normalizer();
    row.write_best(normalizer);
  }

 private:
  struct Shared {
    float highest[kBlockWarps];
    float weight[kBlockWarps];
    float logit[kBlockWarps];
    int32_t token[kBlockWarps];
  };

  DIETMT_DEVICE BeamRowBlock(const DeviceBeamStep& call, int64_t row, Shared& shared)
      : call_(call), row_(row), shared_(shared) {
    const int64_t sentence = row / call.beam;
    forced_ = call.forced == nullptr ? -1 : call.forced[sentence];
    early_ = call.early != nullptr && call.early[sentence] != 0;
    DIETMT_UNROLL
    for (int i = 0; i < kStepCandidates; ++i) {
      best_.logit[i] = kNoLogit;
      best_.token[i] = 0;
    }
  }

  DIETMT_DEVICE bool may_follow(int64_t token) const {
    if (forced_ >= 0) return token == forced_;
    if (token == call_.never[0] || token == call_.never[1]) return false;
    return !(early_ && token == call_.end);
  }

  // Rows of a multiple of 8 logits begin at 16 bytes.
  DIETMT_DEVICE void read_logits() {
    const int64_t first = row_ * call_.classes;
    if (call_.classes % kLaneNumbers == 0) {
      constexpr int64_t kAtOnce = int64_t{kBlockThreads} * kLaneNumbers;
      for (int64_t at = thread_index() * kLaneNumbers; at < call_.classes; at += kAtOnce) {
        float logits[kLaneNumbers];
        load_vector<E>(call_.logits, first + at, logits);
        DIETMT_UNROLL
        for (int i = 0; i < kLaneNumbers; ++i) see(at + i, logits[i]);
      }
      return;
    }
    const E* logits = static_cast<const E*>(call_.logits) + first;
    for (int64_t token = thread_index(); token < call_.classes; token += kBlockThreads)
      see(token, element_value(logits[token]));
  }

  DIETMT_DEVICE void see(int64_t token, float logit) {
    if (logit > highest_) {
      weight_ *= exp2_fast((highest_ - logit) * kLog2E);
      highest_ = logit;
    }
    weight_ += exp2_fast((logit - highest_) * kLog2E);
    if (logit > best_.logit[kStepCandidates - 1] && may_follow(token))
      insert(logit, static_cast<int32_t>(token));
  }

  // Tokens come in ascending order, so an equal logit goes behind.
  DIETMT_DEVICE void insert(float logit, int32_t token) {
    DIETMT_UNROLL
    for (int i = 0; i < kStepCandidates; ++i) {
      if (!(logit > best_.logit[i])) continue;
      const float lower = best_.logit[i];
      const int32_t of_lower = best_.token[i];
      best_.logit[i] = logit;
      best_.token[i] = token;
      logit = lower;
      token = of_lower;
    }
  }

  /// The log-sum-exp of all logits.
  DIETMT_DEVICE float normalizer() {
    float highest = highest_;
    DIETMT_UNROLL
    for (int mask = 1; mask < kWarpThreads; mask *= 2) {
      const float other = shuffle_xor(highest, mask);
      highest = other > highest ? other : highest;
    }
    const float weight = lane_sum<kWarpThreads>(weight_ * exp2_fast((highest_ - highest) * kLog2E));
    if (lane_index() == 0) {
      shared_.highest[warp_index()] = highest;
      shared_.weight[warp_index()] = weight;
    }
    sync_block();
    for (int w = 0; w < kBlockWarps; ++w)
      highest = shared_.highest[w] > highest ? shared_.highest[w] : highest;
    float sum = 0.0f;
    for (int w = 0; w < kBlockWarps; ++w)
      sum += shared_.weight[w] * exp2_fast((shared_.highest[w] - highest) * kLog2E);
    return highest + natural_logarithm(sum);
  }

  /// Takes the best of all threads, once for each candidate.
  DIETMT_DEVICE void write_best(float normalizer) {
    const int64_t count = 2 * call_.beam;
    for (int64_t c = 0; c < count; ++c) {
      float logit = best_.logit[0];
      int32_t token = best_.token[0];
      DIETMT_UNROLL
      for (int mask = 1; mask < kWarpThreads; mask *= 2)
        keep_better(shuffle_xor(logit, mask), shuffle_token(token, mask), logit, token);
      sync_block();
      if (lane_index() == 0) {
        shared_.logit[warp_index()] = logit;
        shared_.token[warp_index()] = token;
      }
      sync_block();
      for (int w = 0; w < kBlockWarps; ++w)
        keep_better(shared_.logit[w], shared_.token[w], logit, token);
      if (best_.logit[0] == logit && best_.token[0] == token) drop_best();
      if (thread_index() != 0) continue;
      call_.row_log_probs[row_ * count + c] = logit == kNoLogit ? kNoLogit : logit - normalizer;
      call_.row_tokens[row_ * count + c] = token;
    }
  }

  DIETMT_DEVICE void drop_best() {
    DIETMT_UNROLL
    for (int i = 0; i + 1 < kStepCandidates; ++i) {
      best_.logit[i] = best_.logit[i + 1];
      best_.token[i] = best_.token[i + 1];
    }
    best_.logit[kStepCandidates - 1] = kNoLogit;
  }

  static DIETMT_DEVICE int32_t shuffle_token(int32_t token, int mask) {
    return static_cast<int32_t>(bits_of(shuffle_xor(float_of(static_cast<uint32_t>(token)), mask)));
  }

  static DIETMT_DEVICE void keep_better(float logit, int32_t token, float& best, int32_t& of_best) {
    if (logit < best || (logit == best && token >= of_best)) return;
    best = logit;
    of_best = token;
  }

  static constexpr float kLog2E = 1.44269504f;

  const DeviceBeamStep& call_;
  const int64_t row_;
  Shared& shared_;
  int64_t forced_;
  bool early_;
  BestTokens best_;
  float highest_ = -1e30f;
  float weight_ = 0.0f;
};

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
