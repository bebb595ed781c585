// Finds the tags that open and close the same element.
#pragma once

#include <vector>

#include "nmt/alignment/inline_markup.h"

namespace dietmt::nmt {

/// Sets the partners of tags; each has one part and its kind, in order. Tags inside more than
/// kMaxDepth open ones become points.
void find_partners(std::vector<InlineMark>& marks);

}  // namespace dietmt::nmt
