// Lowers the position terms of an encoding with LibTorch.
#pragma once

#include <cstdint>
#include <memory>

#include "nmt/engine/position_tables.h"
#include "nmt/engine/position_terms.h"

namespace dietmt::encoders {
class PositionScheme;
}

namespace dietmt::nmt {

/// The terms for sentences of up to `length` tokens, which the scheme must cover.
SiteTerms lower_terms(const encoders::PositionScheme& scheme, const SiteSizes& sizes,
                      int64_t length);

/// Tables that are lowered when a sentence first needs them.
std::unique_ptr<PositionTables> lower_positions(
    std::shared_ptr<const encoders::PositionScheme> scheme, const SiteSizes& sizes);

}  // namespace dietmt::nmt
