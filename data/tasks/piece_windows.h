// Overlapping windows over texts that are too long for an encoder.
#pragma once

#include <cstdint>
#include <vector>

namespace dietmt::data {

struct PieceWindow {
  int64_t first_piece = 0;  // index in the text
  int64_t pieces = 0;       // of the text in this window
  /// For each of them: whether of all windows this one shows most of the text on both its sides.
  std::vector<bool> has_most_context = {};
};

/// Windows of at most `room` pieces over a text of `pieces`, `step` pieces from one to the next and
/// without gaps; at least one window. A piece has most context where the lesser of the numbers of
/// pieces to its left and right is greatest; among equals, in the longer window, then in the
/// earlier one.
std::vector<PieceWindow> piece_windows(int64_t pieces, int64_t room, int64_t step);

}  // namespace dietmt::data
