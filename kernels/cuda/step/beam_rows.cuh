// The log-sum-exp of a row of logits and its best tokens, C = 2 K of them. A block reads the row
// from memory once and keeps only the best logit of each thread. C of these give the minimum for a
// token. Few threads have such tokens, and only the columns of these threads are read again.
#pragma once

#include <limits>

#include "kernels/cuda/primitives.h"
#include "kernels/cuda/step/vectors.cuh"
#include "kernels/device_kernels.h"

namespace dietmt::kernels {

constexpr int kStepCandidates = 2 * kWidestStepBeam;
constexpr float kNoLogit = -std::numeric_limits<float>::infinity();

/// Tokens of each of kCount, best first; of equal logits the smaller token is better.
template <int kCount>
struct BestTokens {
  float logit[kStepCandidates][kCount];
  int32_t token[kStepCandidates][kCount];
};

template <typename E>
class BeamRowBlock {
 public:
  using Arguments = DeviceBeamStep;
  static constexpr int kBlockThreads = 256;
  static constexpr int kBlockWarps = kBlockThreads / kWarpThreads;
  static constexpr int kBlocksTogether = 4;

  static size_t shared_bytes(const Arguments&) { return sizeof(Shared); }
  static BlockIndex grid(const Arguments& call) {
    return {static_cast<int>(call.sentences * call.beam), 1, 1};
  }

  static DIETMT_DEVICE void run(const Arguments& call, BlockIndex block, char* memory) {
    BeamRowBlock row(call, block.x, *reinterpret_cast<Shared*>(memory));
    // Rows of a multiple of 8 logits begin at 16 bytes.
    if (call.classes % kLaneNumbers == 0)
      row.choose<kLaneNumbers>();
    else
      row.choose<1>();
  }

 private:
  // Teams of threads give the floor. There are twice as many of them as candidates, so few other
  // tokens reach it.
  static constexpr int kTeamThreads = 8;
  static constexpr int kTeams = kBlockThreads / kTeamThreads;
  static_assert(kTeams % kTeamThreads == 0 && kTeams >= 2 * kStepCandidates);

  struct Shared {
    float highest[kBlockWarps];
    float weight[kBlockWarps];
    float best[kTeams];
    float floor;
    int kept[kBlockWarps];
    BestTokens<kBlockThreads> of_threads;
    BestTokens<kBlockWarps> of_warps;
  };

  template <int kNumbers>
  using Raw = std::conditional_t<kNumbers == 1, E, RawNumbers<E>>;
  template <int kNumbers>
  static constexpr int kAtOnce = kBlockThreads* kNumbers;

  DIETMT_DEVICE BeamRowBlock(const DeviceBeamStep& call, int64_t row, Shared& shared)
      : call_(call), row_(row), classes_(static_cast<int>(call.classes)), shared_(shared) {
    const int64_t sentence = row / call.beam;
    forced_ = call.forced == nullptr ? -1 : static_cast<int>(call.forced[sentence]);
    early_ = call.early != nullptr && call.early[sentence] != 0;
  }

  /// A thread reads kNumbers logits at a time.
  template <int kNumbers>
  DIETMT_DEVICE void choose() {
    read_row<kNumbers>();
    const float normalizer = this->normalizer();
    find_floor();
    find_best<kNumbers>();
    keep_best_of_warp();
    write_best(normalizer);
  }

  DIETMT_DEVICE bool may_follow(int token) const {
    if (forced_ >= 0) return token == forced_;
    if (token == call_.never[0] || token == call_.never[1]) return false;
    return !(early_ && token == call_.end);
  }

  template <int kNumbers>
  DIETMT_DEVICE Raw<kNumbers> load(int token) const {
    if (token >= classes_) return {};
    const int64_t at = row_ * call_.classes + token;
    if constexpr (kNumbers == 1)
      return static_cast<const E*>(call_.logits)[at];
    else
      return load_raw<E>(call_.logits, at);
  }

  static DIETMT_DEVICE void logits_of(const E& raw, float (&to)[1]) { to[0] = element_value(raw); }
  static DIETMT_DEVICE void logits_of(const RawNumbers<E>& raw, float (&to)[kLaneNumbers]) {
    numbers_of(raw, to);
  }

  // Two loads ahead of the computation.
  template <int kNumbers>
  DIETMT_DEVICE void read_row() {
    constexpr int kStep = kAtOnce<kNumbers>;
    int token = thread_index() * kNumbers;
    Raw<kNumbers> next = load<kNumbers>(token), after = load<kNumbers>(token + kStep);
    for (; token < classes_; token += kStep) {
      float logits[kNumbers];
      logits_of(next, logits);
      next = after;
      after = load<kNumbers>(token + 2 * kStep);
      DIETMT_UNROLL
      for (int i = 0; i < kNumbers; ++i) see(token + i, logits[i]);
    }
  }

  DIETMT_DEVICE void see(int token, float logit) {
    if (logit > highest_) {
      weight_ *= exp2_fast((highest_ - logit) * kLog2E);
      highest_ = logit;
    }
    weight_ += exp2_fast((logit - highest_) * kLog2E);
    if (logit > best_ && may_follow(token)) best_ = logit;
  }

  /// The log-sum-exp of all logits.
  DIETMT_DEVICE float normalizer() {
    float highest = lane_max<kWarpThreads>(highest_);
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

  /// The floor is the C-th best of the teams' best logits, so C tokens or more reach it. The
  /// threads of a team share the comparisons with the other teams.
  DIETMT_DEVICE void find_floor() {
    const float best = lane_max<kTeamThreads>(best_);
    const int team = thread_index() / kTeamThreads, member = thread_index() % kTeamThreads;
    if (member == 0) shared_.best[team] = best;
    sync_block();
    float better = 0.0f;
    DIETMT_UNROLL
    for (int other = member; other < kTeams; other += kTeamThreads) {
      const float of_other = shared_.best[other];
      better += of_other > best || (of_other == best && other < team) ? 1.0f : 0.0f;
    }
    better = lane_sum<kTeamThreads>(better);
    if (member == 0 && better == static_cast<float>(2 * call_.beam - 1)) shared_.floor = best;
    sync_block();
  }

  /// The lanes of a warp divide the columns of each of its threads, if a token among them reaches
  /// the floor. Each lane meets its tokens in ascending order.
  template <int kNumbers>
  DIETMT_DEVICE void find_best() {
    constexpr int kStep = kAtOnce<kNumbers>;
    const float floor = shared_.floor;
    const uint32_t threads = lanes_where(best_ >= floor && best_ > kNoLogit);
    const int first_thread = warp_index() * kWarpThreads;
    for (int start = lane_index() * kStep; start < classes_; start += kWarpThreads * kStep) {
      for (uint32_t left = threads; left != 0; left &= left - 1) {
        const int token = start + (first_thread + lowest_bit(left)) * kNumbers;
        if (token >= classes_) continue;
        float logits[kNumbers];
        logits_of(load<kNumbers>(token), logits);
        DIETMT_UNROLL
        for (int i = 0; i < kNumbers; ++i)
          if (logits[i] >= floor) offer(token + i, logits[i]);
      }
    }
  }

  // Tokens come in ascending order, so an equal logit comes after.
  DIETMT_DEVICE void offer(int token, float logit) {
    BestTokens<kBlockThreads>& list = shared_.of_threads;
    const int thread = thread_index();
    const bool full = listed_ == kStepCandidates;
    if (!(logit > (full ? list.logit[listed_ - 1][thread] : kNoLogit)) || !may_follow(token))
      return;
    int place = full ? listed_ - 1 : listed_++;
    for (; place > 0 && logit > list.logit[place - 1][thread]; --place) {
      list.logit[place][thread] = list.logit[place - 1][thread];
      list.token[place][thread] = list.token[place - 1][thread];
    }
    list.logit[place][thread] = logit;
    list.token[place][thread] = token;
  }

  /// The best tokens of a warp, C or as many as its threads have found.
  DIETMT_DEVICE void keep_best_of_warp() {
    const int count = static_cast<int>(2 * call_.beam), warp = warp_index();
    const BestTokens<kBlockThreads>& list = shared_.of_threads;
    int kept = 0, taken = 0;
    for (; kept < count; ++kept) {
      float logit = kNoLogit;
      int32_t token = 0;
      if (taken < listed_) {
        logit = list.logit[taken][thread_index()];
        token = list.token[taken][thread_index()];
      }
      const int32_t own = token;
      DIETMT_UNROLL
      for (int mask = 1; mask < kWarpThreads; mask *= 2) {
        const float other = shuffle_xor(logit, mask);
        const int32_t of_other = shuffle_token(token, mask);
        if (!is_better(other, of_other, logit, token)) continue;
        logit = other;
        token = of_other;
      }
      if (logit == kNoLogit) break;
      if (taken < listed_ && token == own) ++taken;
      if (lane_index() != 0) continue;
      shared_.of_warps.logit[kept][warp] = logit;
      shared_.of_warps.token[kept][warp] = token;
    }
    if (lane_index() == 0) shared_.kept[warp] = kept;
  }

  /// A thread for each token that a warp has kept: the better ones give its place.
  DIETMT_DEVICE void write_best(float normalizer) {
    static_assert(kBlockWarps * kStepCandidates <= kBlockThreads);
    sync_block();
    const int count = static_cast<int>(2 * call_.beam), thread = thread_index();
    const int warp = thread % kBlockWarps, at = thread / kBlockWarps;
    const BestTokens<kBlockWarps>& list = shared_.of_warps;
    const bool mine = at < shared_.kept[warp];
    const float logit = mine ? list.logit[at][warp] : kNoLogit;
    const int32_t token = mine ? list.token[at][warp] : 0;
    int better = 0, all = 0;
    for (int w = 0; w < kBlockWarps; ++w) {
      const int kept = shared_.kept[w];
      all += kept;
      for (int i = 0; i < kept; ++i)
        better += is_better(list.logit[i][w], list.token[i][w], logit, token) ? 1 : 0;
    }
    float* log_probs = call_.row_log_probs + row_ * count;
    int32_t* tokens = call_.row_tokens + row_ * count;
    if (mine && better < count) {
      log_probs[better] = logit - normalizer;
      tokens[better] = token;
    }
    if (all + thread < count) {
      log_probs[all + thread] = kNoLogit;
      tokens[all + thread] = 0;
    }
  }

  static DIETMT_DEVICE bool is_better(float logit, int32_t token, float other, int32_t of_other) {
    return logit > other || (logit == other && token < of_other);
  }

  static DIETMT_DEVICE int32_t shuffle_token(int32_t token, int mask) {
    return static_cast<int32_t>(bits_of(shuffle_xor(float_of(static_cast<uint32_t>(token)), mask)));
  }

  static constexpr float kLog2E = 1.44269504f;

  const DeviceBeamStep& call_;
  const int64_t row_;
  const int classes_;
  Shared& shared_;
  int forced_;
  bool early_;
  float highest_ = -1e30f;
  float weight_ = 0.0f;
  float best_ = kNoLogit;  // of the tokens that may follow
  int listed_ = 0;         // in the thread's list
};

}  // namespace dietmt::kernels
