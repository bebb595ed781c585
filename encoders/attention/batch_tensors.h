// From packed batches (data/corpus/batches.h) to the tensors that models take.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "data/corpus/batches.h"
#include "encoders/attention/packing.h"

namespace dietmt::encoders {

/// The boundaries of the sentences.
encoders::Packing packing_of(const data::PackedTokens& packed, at::Device device);

/// The ids, or classes, as an int64 tensor [ids.size()] on `device`.
at::Tensor ids_of(std::span<const int32_t> ids, at::Device device);

}  // namespace dietmt::encoders
