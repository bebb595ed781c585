// The open hypotheses of beam search as tensors: their last tokens and sums, and the choice of
// those that go on, without the host. The host follows a step behind with nmt/search/beam.h, which
// keeps finished hypotheses and decides when a sentence is done: which hypotheses go on does not
// depend on those that are finished.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device_kernels.h"
#include "nmt/search/beam.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

class DeviceBeams {
 public:
  /// Keeps a reference to `special`. `beam`: K hypotheses of each sentence.
  DeviceBeams(int64_t beam, const SpecialTokens& special, at::Device device);

  /// Sentences with one open hypothesis each, after the others.
  void add(int64_t sentences);

  /// [B * K] int64: the last token of each row.
  const at::Tensor& tokens() const { return tokens_; }

  /// What a sentence may do at its step.
  struct Limits {
    int64_t forced = -1;  // the only token; -1: any
    bool may_end = true;
  };

  /// Takes the logits [B * K, V] of a step and chooses the rows that go on; `limits`: of each
  /// sentence. Returns its candidates [B, C, 3] int32, best first: beam, token and the bits of the
  /// log-probability, which is minus infinity if fewer than C are possible.
  at::Tensor advance(const at::Tensor& logits, std::span<const Limits> limits);

  /// [B * K] int64: the row of the last step that each row continues.
  const at::Tensor& parents() const { return parents_; }

  /// Keeps these rows of whole sentences, [B' * K] int64.
  void keep(const at::Tensor& rows);

 private:
  at::Tensor advance_on_device(const at::Tensor& logits, std::span<const Limits> limits,
                               const kernels::DeviceKernels& device);
  at::Tensor advance_by_tensor_algebra(const at::Tensor& logits, std::span<const Limits> limits);
  at::Tensor log_probs(const at::Tensor& logits, std::span<const Limits> limits) const;

  const int64_t beam_;
  const SpecialTokens& special_;
  const at::Device device_;
  at::Tensor tokens_;   // [B * K] int64
  at::Tensor sums_;     // [B * K] double; minus infinity: the row has no hypothesis
  at::Tensor parents_;  // [B * K] int64
};

/// The candidates of sentence `b` among those that DeviceBeams::advance() has returned, now on the
/// CPU; `beam`: before they continue it.
std::vector<Candidate> candidates_of(const at::Tensor& packed, int64_t b, const Beam& beam);

}  // namespace dietmt::nmt
