// All tables of ScoreTerms, for what treats them alike.
#pragma once

#include <array>

#include "encoders/position/score_terms.h"

namespace dietmt::encoders {

inline constexpr std::array kScoreTables{
    &ScoreTerms::position_bias,   &ScoreTerms::query_features,   &ScoreTerms::key_features,
    &ScoreTerms::offset_bias,     &ScoreTerms::relative_keys,    &ScoreTerms::relative_queries,
    &ScoreTerms::relative_values, &ScoreTerms::segment_bias,     &ScoreTerms::contextual,
    &ScoreTerms::query_shift,     &ScoreTerms::key_shift,        &ScoreTerms::query_cosines,
    &ScoreTerms::query_sines,     &ScoreTerms::key_cosines,      &ScoreTerms::key_sines,
    &ScoreTerms::key_compression, &ScoreTerms::value_compression};

static_assert(sizeof(ScoreTerms) == kScoreTables.size() * sizeof(at::Tensor) +
                                        sizeof(ScoreTerms::content_scale) +
                                        sizeof(ScoreTerms::pairing),
              "a table is missing above");

}  // namespace dietmt::encoders
