// From packed token ids (data/batches.h) to the tensors that a model takes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "data/batches.h"
#include "encoders/attention/packing.h"

namespace dietmt::nmt {

/// The sentences end to end.
data::PackedTokens pack(std::span<const std::vector<int32_t>* const> sentences);

/// The boundaries of the sentences.
encoders::Packing packing_of(const data::PackedTokens& packed, at::Device device);

/// The ids as an int64 tensor [N] on `device`.
at::Tensor ids_of(const data::PackedTokens& packed, at::Device device);

/// What a decoder reads for these targets: `begin`, then the sentence without its last token.
data::PackedTokens shifted_right(const data::PackedTokens& target, int32_t begin);

}  // namespace dietmt::nmt
