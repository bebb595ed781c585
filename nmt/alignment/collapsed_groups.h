// Joins placeholders with the text that belongs to them. Without it the rest of a sentence would be
// unnatural: "Hello, !" from "Hello, {0}!", "'' not found" from "'{0}' not found".
#pragma once

#include <vector>

#include "nmt/alignment/inline_markup.h"

namespace dietmt::nmt {

/// Joins points, empty elements and the text that belongs to them into one point each, and removes
/// that text. Marks have one part each and know their partners.
MarkedText with_collapsed_groups(MarkedText raw);

}  // namespace dietmt::nmt
