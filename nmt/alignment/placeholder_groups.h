// Finds placeholders with the text that belongs to them.
#pragma once

#include <cstdint>
#include <vector>

#include "nmt/alignment/inline_markup.h"

namespace dietmt::nmt {

/// Marks first .. last - 1 and bytes begin .. end - 1 of a text, which become one point.
struct PlaceholderGroup {
  size_t first = 0;
  size_t last = 0;
  int32_t begin = 0;
  int32_t end = 0;
  InlineMark::Place place = InlineMark::Place::kAligned;
};

/// The groups of a text, in order. Marks outside of them are tags.
std::vector<PlaceholderGroup> placeholder_groups(const MarkedText& raw);

}  // namespace dietmt::nmt
