// The pairs of next-sentence prediction; packed_examples.h says how they are drawn.
#pragma once

#include <cstdint>

#include "data/pretraining/packed_examples.h"

namespace dietmt::data {

/// Pairs of `capacity` tokens at most, without special pieces; capacity >= 2. A function of its
/// arguments. Throws DataError as plan_examples does.
ExamplePlan plan_pairs(const TextCorpus& corpus, int64_t capacity, double short_share,
                       uint64_t key);

}  // namespace dietmt::data
