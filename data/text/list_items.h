// Lists whose items stand on one line: 1. Cut 2. Paste
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace dietmt::data {

/// Where an item begins in its line, and the bytes of its marker: a number or letter with a full
/// stop, a bracket or both, possibly after a bullet.
struct ListItem {
  size_t begin = 0;
  size_t marker = 0;
};

/// The items of all lists of a line, in order. Markers of one form that count up make a list if the
/// first of them is 1, a or a bullet, and begins the line or follows a stop.
/// `ordinals`: whether "2." is also "second", so that a list of the form 1. 2. needs a third item.
std::vector<ListItem> list_items(std::string_view line, bool ordinals);

}  // namespace dietmt::data
