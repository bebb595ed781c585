// Position terms of an encoding, lowered by LibTorch.
#pragma once

#include <cstdint>
#include <memory>

#include "nmt/engine/position_tables.h"
#include "nmt/engine/position_terms.h"

namespace dietmt::encoders {
class PositionScheme;
}

namespace dietmt::nmt {

/// The terms of sentences of up to `length` tokens, at most the scheme's longest.
SiteTerms lower_terms(const encoders::PositionScheme& scheme, const SiteSizes& sizes,
                      int64_t length);

/// Lowered when they are wanted.
std::unique_ptr<PositionTables> lower_positions(
    std::shared_ptr<const encoders::PositionScheme> scheme, const SiteSizes& sizes);

}  // namespace dietmt::nmt
