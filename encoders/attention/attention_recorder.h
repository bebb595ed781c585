// The attention probabilities of a pass through a model, for looking at them.
//
//   AttentionRecorder recorder;
//   model.encode(tokens, packing);
//   recorder.probabilities();   // one tensor a layer
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "encoders/attention/attention.h"

namespace dietmt::encoders {

/// While it lives, each call of attend() by its thread is recorded, whatever backend answers it:
/// the probabilities are computed beside it by the definition, without dropout. One lives at a time
/// in a thread.
class AttentionRecorder {
 public:
  AttentionRecorder();
  ~AttentionRecorder();
  AttentionRecorder(const AttentionRecorder&) = delete;
  AttentionRecorder& operator=(const AttentionRecorder&) = delete;

  /// In the order of the calls, [H, T, S] each: row i holds what query i gives each key. Undefined
  /// where keys are compressed, for then columns are no tokens.
  const std::vector<at::Tensor>& probabilities() const { return probabilities_; }

  /// That of this thread, or null.
  static AttentionRecorder* current();

  /// For attend(): a call of one sentence whose vectors have moved. Throws Error for more
  /// sentences.
  void record(const AttentionCall& call);

 private:
  std::vector<at::Tensor> probabilities_;
};

}  // namespace dietmt::encoders
