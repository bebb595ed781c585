#include "kernels/attention_tiles.h"

#include <gtest/gtest.h>

#include "common/random.h"

namespace dietmt::kernels {
namespace {

/// Each from shortest to longest.
std::vector<int64_t> drawn_lengths(Random& random, int64_t count, int64_t shortest,
                                   int64_t longest) {
  std::vector<int64_t> lengths;
  for (int64_t b = 0; b < count; ++b) {
    lengths.push_back(shortest + static_cast<int64_t>(
                                     random.below(static_cast<uint64_t>(longest - shortest + 1))));
  }
  return lengths;
}

/// Rows of each sentence in all tiles.
std::vector<int64_t> rows_in(const std::vector<TileOfSentence>& tiles,
                             const std::vector<int64_t>& lengths) {
  std::vector<int64_t> rows(lengths.size());
  for (const TileOfSentence& tile : tiles) {
    const auto first = static_cast<size_t>(tile.sentence);
    if (tile.tile >= 0) {
      rows[first] += std::min(lengths[first] - tile.tile * kDeviceTileRows, kDeviceTileRows);
      continue;
    }
    int64_t together = 0;
    for (size_t b = first; b < first + static_cast<size_t>(-tile.tile); ++b) {
      rows[b] += lengths[b];
      together += lengths[b];
    }
    EXPECT_LE(together, kDeviceTileRows);
  }
  return rows;
}

TEST(AttentionTilesTest, EachSentenceIsInTheTilesOnce) {
  Random random(1);
  for (const int64_t longest : {3, 28, 64, 128, 129, 500}) {
    for (const int64_t count : {1, 2, 50, 400}) {
      const auto lengths = drawn_lengths(random, count, 0, longest);
      const auto single = single_tiles(lengths);
      const auto packed = packed_tiles(lengths, single);
      EXPECT_EQ(rows_in(single, lengths), lengths);
      EXPECT_EQ(rows_in(packed, lengths), lengths);
      EXPECT_EQ(count_packed_tiles(lengths), std::ssize(packed));
    }
  }
}

TEST(AttentionTilesTest, NeighboursShareATile) {
  const std::vector<int64_t> lengths = {100, 28, 1, 300, 60, 60, 8, 129};
  const auto packed = packed_tiles(lengths, single_tiles(lengths));
  std::vector<std::pair<int32_t, int32_t>> tiles;
  for (const TileOfSentence& tile : packed) tiles.emplace_back(tile.sentence, tile.tile);
  const std::vector<std::pair<int32_t, int32_t>> wanted = {{3, 0}, {3, 1},  {3, 2},  {7, 0},
                                                           {7, 1}, {0, -2}, {2, -1}, {4, -3}};
  EXPECT_EQ(tiles, wanted);
}

TEST(AttentionTilesTest, SizesBoundTheNumberOfTiles) {
  Random random(2);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const auto longest = 1 + static_cast<int64_t>(random.below(200));
    const auto shortest = 1 + static_cast<int64_t>(random.below(static_cast<uint64_t>(longest)));
    const auto lengths =
        drawn_lengths(random, 1 + static_cast<int64_t>(random.below(60)), shortest, longest);
    const int64_t sentences = std::ssize(lengths);
    const int64_t tokens = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
    ASSERT_LE(std::ssize(single_tiles(lengths)), most_single_tiles(sentences, tokens, longest));
    ASSERT_LE(count_packed_tiles(lengths), most_packed_tiles(sentences, tokens, longest));
  }
  // Close enough to decide by for sentences of about the same length.
  EXPECT_EQ(most_packed_tiles(893, 893 * 28, 28), 248);
  EXPECT_EQ(count_packed_tiles(std::vector<int64_t>(893, 28)), 224);
}

}  // namespace
}  // namespace dietmt::kernels
