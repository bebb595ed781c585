// The tiles of rows that attention on a device divides a batch into (DeviceTilings).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/attention.h"

namespace dietmt::kernels {

inline int64_t tiles_of(int64_t length) { return (length + kDeviceTileRows - 1) / kDeviceTileRows; }

/// A sentence each, the longest sentences first, so that the last blocks of a kernel are short.
inline std::vector<TileOfSentence> single_tiles(std::span<const int64_t> lengths) {
  std::vector<int32_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int32_t a, int32_t b) {
    return lengths[static_cast<size_t>(a)] > lengths[static_cast<size_t>(b)];
  });
  std::vector<TileOfSentence> tiles;
  for (const int32_t b : order) {
    const int64_t count = tiles_of(lengths[static_cast<size_t>(b)]);
    for (int32_t tile = 0; tile < count; ++tile) tiles.push_back({b, tile});
  }
  return tiles;
}

/// Tiles of sentences that are longer than one, as in `single`, then those of whole sentences. Next
/// fit: a sentence joins the one before it if the tile has room, so that its rows stay neighbours.
inline std::vector<TileOfSentence> packed_tiles(std::span<const int64_t> lengths,
                                                std::span<const TileOfSentence> single) {
  const auto is_long = [&](int32_t b) { return lengths[static_cast<size_t>(b)] > kDeviceTileRows; };
  std::vector<TileOfSentence> tiles;
  for (const TileOfSentence& tile : single) {
    if (is_long(tile.sentence)) tiles.push_back(tile);
  }
  int64_t room = -1;
  for (int32_t b = 0; b < std::ssize(lengths); ++b) {
    const int64_t length = lengths[static_cast<size_t>(b)];
    if (is_long(b)) {
      room = -1;
    } else if (length <= room) {
      --tiles.back().tile;
      room -= length;
    } else {
      tiles.push_back({b, -1});
      room = kDeviceTileRows - length;
    }
  }
  return tiles;
}

/// The number of packed_tiles().
inline int64_t count_packed_tiles(std::span<const int64_t> lengths) {
  int64_t count = std::ssize(packed_tiles(lengths, {}));
  for (const int64_t length : lengths) count += length > kDeviceTileRows ? tiles_of(length) : 0;
  return count;
}

/// At least the number of single_tiles(): a sentence of n tokens has at most 1 + (n - 1) /
/// kDeviceTileRows.
inline int64_t most_single_tiles(int64_t sentences, int64_t tokens, int64_t longest) {
  return std::min(sentences * tiles_of(longest),
                  sentences + (tokens - sentences) / kDeviceTileRows);
}

/// At least the number of packed_tiles(). If no sentence is longer than a tile, all tiles but the
/// last have no room for the longest one, and two neighbours have more tokens than fit into one.
inline int64_t most_packed_tiles(int64_t sentences, int64_t tokens, int64_t longest) {
  const int64_t single = most_single_tiles(sentences, tokens, longest);
  if (longest > kDeviceTileRows || tokens == 0) return single;
  return std::min({single, 1 + (tokens - 1) / (kDeviceTileRows + 1 - longest),
                   1 + 2 * tokens / (kDeviceTileRows + 1)});
}

}  // namespace dietmt::kernels
