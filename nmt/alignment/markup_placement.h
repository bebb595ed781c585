// Finds places for elements and points in a translation.
#pragma once

#include <span>

#include "nmt/alignment/markup_tree.h"
#include "nmt/alignment/text_segments.h"
#include "nmt/alignment/word_alignment.h"

namespace dietmt::nmt {

/// Gives each node below `root`, whose run is known, its run of target parts.
void place_nodes(MarkupNode& root, std::span<const InlineMark> marks, const Segments& source,
                 const Segments& target, const PartAttention& attention);

}  // namespace dietmt::nmt
