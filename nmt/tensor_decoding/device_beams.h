// The open hypotheses of beam search as tensors: their last tokens and sums, and the selection of
// those that continue, without the host. The host follows a step behind with nmt/search/beam.h,
// which keeps finished hypotheses and decides when a sentence is done; which hypotheses continue
// does not depend on the finished ones.
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
  /// Keeps a reference to `special`. `beam`: K hypotheses per sentence; `most_sentences`: limit on
  /// simultaneous sentences, including idle ones.
  DeviceBeams(int64_t beam, const SpecialTokens& special, int64_t most_sentences,
              at::Device device);

  /// Appends sentences with one open hypothesis each.
  void add(int64_t sentences);

  /// [B * K] int64: the last token of each row of B sentences.
  at::Tensor tokens(int64_t sentences) const { return tokens_.narrow(0, 0, sentences * beam_); }

  /// What a sentence may do at its step.
  struct Limits {
    int64_t forced = -1;  // the only token; -1: any
    bool may_end = true;
  };

  /// Sends the limits of each sentence for the next step to the device. The step has `idle`
  /// additional sentences, whose hypotheses do not count.
  void limit(std::span<const Limits> limits, int64_t idle = 0);

  /// Takes the logits [B * K, V] of a step and selects the rows that continue. Returns each
  /// sentence's candidates, [B, C, 3] int32, best first: beam, token and the bits of the
  /// log-probability, which is minus infinity if fewer than C are possible.
  at::Tensor advance(const at::Tensor& logits);

  /// Whether advance() enqueues the same work for the same number of rows of `classes` logits.
  bool has_fixed_work(int64_t classes) const;

  /// [B * K] int64: the row of the last step that each row continues; itself after add() and
  /// keep().
  at::Tensor parents(int64_t sentences) const { return parents_.narrow(0, 0, sentences * beam_); }

  /// Keeps these rows of whole sentences, [B' * K] int64.
  void keep(const at::Tensor& rows);

 private:
  at::Tensor advance_by_kernel(const at::Tensor& logits, const kernels::DeviceKernels& device);
  at::Tensor advance_by_tensor_algebra(const at::Tensor& logits);
  at::Tensor log_probs(const at::Tensor& logits) const;
  at::Tensor forced(int64_t sentences) const { return limits_.narrow(0, 0, sentences); }
  at::Tensor early(int64_t sentences) const { return limits_.narrow(0, sentences, sentences); }

  const int64_t beam_;
  const SpecialTokens& special_;
  int64_t sentences_ = 0;
  bool any_forced_ = false;  // at the next step
  bool any_early_ = false;   // at the next step
  // With room for the largest batch:
  at::Tensor tokens_;   // [most * K] int64
  at::Tensor sums_;     // [most * K] double; minus infinity: the row has no hypothesis
  at::Tensor parents_;  // [most * K] int64
  at::Tensor limits_;   // [2 * most] int64: forced tokens of a step's sentences, or -1; then 1 for
                        // each in which no hypothesis may end
};

/// The candidates of sentence `b` among those returned by DeviceBeams::advance(), now on the CPU;
/// `beam`: before they extend it.
std::vector<Candidate> candidates_of(const at::Tensor& packed, int64_t b, const Beam& beam);

}  // namespace dietmt::nmt
