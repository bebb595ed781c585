// The pairs of next-sentence prediction; packed_examples.h describes how they are drawn.
#pragma once

#include <cstdint>

#include "data/pretraining/packed_examples.h"

namespace dietmt::data {

/// Pairs of at most `capacity` >= 2 tokens, without special pieces. Depends only on its arguments.
/// Throws DataError as plan_examples does.
ExamplePlan plan_pairs(const TextCorpus& corpus, int64_t capacity, double short_share,
                       uint64_t key);

}  // namespace dietmt::data
