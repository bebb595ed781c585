// The tiles that attention on a device gets, and which kernels it chooses by them. Uses the
// counting device, whose memory the host can read.
#include <gtest/gtest.h>

#include "encoders/attention/packing.h"
#include "kernels/attention_tiles.h"
#include "tests/counting_device/counting_device.h"
#include "tests/counting_device/device_memory.h"

namespace dietmt::encoders {
namespace {

using kernels::TileOfSentence;

using Tiles = std::vector<std::pair<int32_t, int32_t>>;

Tiles pairs_of(const kernels::DeviceTiles& tiles) {
  Tiles pairs;
  for (const TileOfSentence& tile : std::span(tiles.data, static_cast<size_t>(tiles.count)))
    pairs.emplace_back(tile.sentence, tile.tile);
  return pairs;
}

Tiles pairs_of(const std::vector<TileOfSentence>& tiles) {
  return pairs_of(kernels::DeviceTiles{tiles.data(), std::ssize(tiles)});
}

kernels::DeviceTiles on_host(const kernels::DeviceTiles& tiles) {
  return {static_cast<const TileOfSentence*>(counting::mirror_of(tiles.data)), tiles.count};
}

void expect_tiles_of(const std::vector<int64_t>& lengths, const Packing& packing) {
  const auto single = kernels::single_tiles(lengths);
  const kernels::DeviceTilings tilings = packing.device_tiles();
  EXPECT_EQ(pairs_of(on_host(tilings.single)), pairs_of(single));
  EXPECT_EQ(pairs_of(on_host(tilings.packed)), pairs_of(kernels::packed_tiles(lengths, single)));
}

TEST(DeviceTilesTest, APackingHasBothLists) {
  const at::Device device = counting::counting_device();
  const std::vector<int64_t> lengths = {30, 300, 20, 7, 128, 90};
  const Packing packing(lengths, device);
  expect_tiles_of(lengths, packing);
  // These are computed on the device.
  for (const int64_t rows : {1, 5, 40, 64, 65, 128, 129, 400}) {
    expect_tiles_of(std::vector<int64_t>(lengths.size(), rows), packing.with_rows(rows));
  }
}

TEST(DeviceTilesTest, TilesPastAllSentencesAreIdle) {
  const std::vector<int64_t> lengths = {30, 20, 100};
  const PackingSizes sizes = with_most_tiles({.sentences = 3, .tokens = 150, .max_length = 100});
  ASSERT_EQ(sizes.packed_tiles, 3);
  std::vector<int64_t> numbers(static_cast<size_t>(sizes.numbers()));
  write_packing(lengths, sizes, numbers.data());
  const int64_t* const packed = numbers.data() + numbers.size() - 3;
  EXPECT_EQ(pairs_of(kernels::DeviceTiles{reinterpret_cast<const TileOfSentence*>(packed), 3}),
            (Tiles{{0, -2}, {2, -1}, {0, 1}}));
}

}  // namespace
}  // namespace dietmt::encoders
