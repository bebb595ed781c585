// Records the attention probabilities of a pass through a model.
//
//   AttentionRecorder recorder;
//   model.encode(tokens, packing);
//   recorder.probabilities();   // one tensor a layer
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "encoders/attention/attention.h"

namespace dietmt::encoders {

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
