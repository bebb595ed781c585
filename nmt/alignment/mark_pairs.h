// Which tags open and close the same element.
#pragma once

#include <vector>

#include "nmt/alignment/inline_markup.h"

namespace dietmt::nmt {

/// Sets the partners of tags, each with its one part and its kind, in their order. Tags in more
/// than kMaxDepth open ones become points.
void find_partners(std::vector<InlineMark>& marks);

}  // namespace dietmt::nmt
