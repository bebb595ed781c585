// A packed batch through the encoder of a BERT.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "data/corpus/batches.h"
#include "encoders/attention/packing.h"
#include "encoders/bert/bert.h"

namespace dietmt::bert {

/// The last hidden states of a batch, [N, D], and its boundaries.
struct PackedStates {
  at::Tensor hidden;
  encoders::Packing packing;
};

/// segments: [N], the kind of segment of each token.
PackedStates encode_packed(const encoders::Bert& model, const data::PackedTokens& tokens,
                           const std::vector<int32_t>& segments, at::Device device,
                           encoders::DropoutKeys* dropout);

}  // namespace dietmt::bert
