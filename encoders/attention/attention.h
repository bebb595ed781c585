// Attention over packed sentences, with the score terms of a position encoding
// (Vaswani et al. 2017, eq. 1; encoders/position/score_terms.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "encoders/attention/head_layout.h"
#include "encoders/attention/packing.h"
#include "encoders/ops/dropout_keys.h"
#include "encoders/position/score_terms.h"

namespace dietmt::encoders {

enum class Backend {
  kAuto,       // the first backend that can run the call, logged once
  kCpu,        // fused, on the CPU: kernels/attention.h
  kCuda,       // the same on a GPU: kernels/cuda/attention_cuda.h
  kHopper,     // by wgmma and TMA, for some calls: kernels/cuda/sm90/attention_cuda.h
  kReference,  // plain tensor algebra, sentence by sentence: the definition
  kSdpa,       // pads to [B, H, T, Dh] and calls ATen
};

/// "auto", "cpu", "cuda", "hopper", "reference", "sdpa". Throws ConfigError listing them.
Backend parse_backend(const std::string& name);

struct AttentionCall {
  at::Tensor queries;  // [N, H, Dh]
  at::Tensor keys;     // [M, H, Dh]
  at::Tensor values;   // [M, H, Dh]
  const Packing& query_packing;
  const Packing& key_packing;
  const ScoreTerms& terms;   // for the longest sentence: T = max query length, S = max key length
  bool causal = false;       // key j is masked for queries i < j
  DropoutSite dropout = {};  // of the attention probabilities [B, H, T, S]
  at::Tensor segments = {};  // [N] int64, only with segment_bias (self-attention)
  /// Where the gradients of keys and values belong: parts key_part and key_part + 1. Null:
  /// anywhere.
  std::shared_ptr<PartGradients> memory_gradients = {};
  int64_t key_part = 0;
};

/// Replaces features by their product, a position bias, where reading it costs less than computing
/// it again for each sentence: for up to kernels::kFewPairs pairs of positions. Layers that share
/// features share the bias. Call it once a pass, on the terms of all layers; attend() gives the
/// same results without it.
std::vector<ScoreTerms> multiply_features(std::vector<ScoreTerms> layers);

/// Moves the vectors as the terms say (vector_terms.h), then attends. Returns [N, H, Dh].
at::Tensor attend(const AttentionCall& call, Backend backend);

/// Why `backend` cannot run `call`; empty if it can.
std::vector<std::string> reasons_against(Backend backend, const AttentionCall& call);

/// Records the attention probabilities of a pass through a model.
///
///   AttentionRecorder recorder;
///   model.encode(tokens, packing);
///   recorder.probabilities();   // one tensor a layer
///
/// Records each call of attend() by its thread while it lives, whatever backend answers the call.
/// It computes the probabilities a second time, by their definition and without dropout. A thread
/// can have only one recorder at a time.
class AttentionRecorder {
 public:
  AttentionRecorder();
  ~AttentionRecorder();
  AttentionRecorder(const AttentionRecorder&) = delete;
  AttentionRecorder& operator=(const AttentionRecorder&) = delete;

  /// In the order of the calls, [H, T, S] each: row i holds the probabilities of query i. Undefined
  /// if keys are compressed, because columns are not tokens then.
  const std::vector<at::Tensor>& probabilities() const { return probabilities_; }

  /// This thread's recorder, or null.
  static AttentionRecorder* current();

  /// Called by attend() when the vectors have moved. Throws Error for more than one sentence.
  void record(const AttentionCall& call);

 private:
  std::vector<at::Tensor> probabilities_;
};

}  // namespace dietmt::encoders
