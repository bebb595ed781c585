// Runs a position encoding on random queries, keys and values, for the property tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "encoders/attention/attention.h"
#include "encoders/attention/step_attention.h"
#include "encoders/position/scheme/position_scheme.h"

namespace dietmt::encoders {

constexpr int64_t kRunLayers = 2;
constexpr int64_t kRunHeads = 4;
constexpr int64_t kRunHeadWidth = 4;
constexpr int64_t kRunWidth = kRunHeads * kRunHeadWidth;
constexpr int64_t kRunMaxPositions = 128;
constexpr int64_t kRunSegmentKinds = 2;

EncodingContext context(AttentionSite site);

/// A scheme in double with parameters large enough to matter, the same for the same spec.
std::shared_ptr<PositionScheme> make_scheme(const std::string& spec, AttentionSite site);

struct Inputs {
  at::Tensor q, k, v;  // [N, H, Dh], [M, H, Dh], [M, H, Dh]
  std::vector<at::Tensor> all() const { return {q, k, v}; }
};

Inputs make_inputs(int64_t queries, int64_t keys);

struct Setting {
  Backend backend = Backend::kReference;
  bool causal = false;
  double dropout = 0.0;
  uint64_t pass_key = 5;
};

/// Segments of a packed batch's tokens: the second half of each sentence is segment 1.
at::Tensor segments_of(const Packing& packing);

/// Embeds positions into queries and keys and attends with the terms of the second layer.
/// Returns [N, H, Dh].
at::Tensor attend_with(const PositionScheme& scheme, const Inputs& inputs, const Packing& queries,
                       const Packing& keys, const Setting& setting);

/// q, k and v of whole sentences, before positions are embedded, one position at a time from a
/// cache, as in cached decoding: [B, T, H, Dh].
at::Tensor decoded(const StepTerms& terms, const at::Tensor& q, const at::Tensor& k,
                   const at::Tensor& v);

/// A scalar whose gradient differs from element to element.
at::Tensor loss(const at::Tensor& output);

double largest_gap(const at::Tensor& a, const at::Tensor& b);

/// Gradients of inputs and parameters, then the output.
std::vector<at::Tensor> output_and_gradients(const PositionScheme& scheme, const Inputs& inputs,
                                             const Packing& queries, const Packing& keys,
                                             const Setting& setting);

}  // namespace dietmt::encoders
