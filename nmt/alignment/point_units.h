// Placeholders with the text that belongs to them. Without it the rest of a sentence would be one
// that nobody writes: "Hello, !" of "Hello, {0}!", "'' not found" of "'{0}' not found".
#pragma once

#include <vector>

#include "nmt/alignment/inline_markup.h"

namespace dietmt::nmt {

/// Joins points, empty elements and the text that belongs to them to one point each, and takes that
/// text out. The marks have one part each and their partners.
MarkedText with_units(MarkedText raw);

}  // namespace dietmt::nmt
