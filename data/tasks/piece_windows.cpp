#include "data/tasks/piece_windows.h"

#include <algorithm>
#include <utility>

namespace dietmt::data {
namespace {

void mark_most_context(std::vector<PieceWindow>& windows, int64_t pieces) {
  struct Best {
    size_t window = 0;
    int64_t context = -1;
    int64_t length = 0;
  };
  std::vector<Best> best(static_cast<size_t>(pieces));
  for (size_t w = 0; w < windows.size(); ++w) {
    const int64_t length = windows[w].pieces;
    for (int64_t i = 0; i < length; ++i) {
      Best& of_piece = best[static_cast<size_t>(windows[w].first_piece + i)];
      const int64_t context = std::min(i, length - 1 - i);
      if (std::pair(context, length) > std::pair(of_piece.context, of_piece.length))
        of_piece = {w, context, length};
    }
  }
  for (size_t w = 0; w < windows.size(); ++w) {
    for (int64_t i = 0; i < windows[w].pieces; ++i)
      windows[w].has_most_context.push_back(
          best[static_cast<size_t>(windows[w].first_piece + i)].window == w);
  }
}

}  // namespace

std::vector<PieceWindow> piece_windows(int64_t pieces, int64_t room, int64_t step) {
  std::vector<PieceWindow> windows;
  for (int64_t begin = 0;; begin += std::min(step, room)) {
    windows.push_back({begin, std::min(room, pieces - begin), {}});
    if (begin + windows.back().pieces == pieces) break;
  }
  mark_most_context(windows, pieces);
  return windows;
}

}  // namespace dietmt::data
