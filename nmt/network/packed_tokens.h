// Packed token ids (data/corpus/batches.h) as an encoder-decoder model takes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpus/batches.h"

namespace dietmt::nmt {

/// The sentences end to end.
data::PackedTokens pack(std::span<const std::vector<int32_t>* const> sentences);

/// What a decoder reads for these targets: `begin`, then the sentence without its last token.
data::PackedTokens shifted_right(const data::PackedTokens& target, int32_t begin);

}  // namespace dietmt::nmt
