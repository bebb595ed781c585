#include "nmt/training/batch_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/random.h"

namespace dietmt::nmt {
namespace {

using encoders::PackingSizes;

void append(data::PackedTokens& packed, int64_t length) {
  packed.append(std::vector<int32_t>(static_cast<size_t>(length), 7));
}

data::ParallelBatch batch_of(const std::vector<std::pair<int64_t, int64_t>>& lengths) {
  data::ParallelBatch batch;
  for (const auto& [source, target] : lengths) {
    append(batch.source, source);
    append(batch.target, target);
  }
  return batch;
}

// As many pairs of about this length as fit in `tokens` target tokens.
data::ParallelBatch random_batch(int64_t length, int64_t tokens, Random& random) {
  std::vector<std::pair<int64_t, int64_t>> lengths;
  const auto drawn = [&](int64_t about) {
    return std::max<int64_t>(1, about - 2 + static_cast<int64_t>(random.uniform() * 5.0));
  };
  for (int64_t used = 0; used + length + 2 <= tokens; used += lengths.back().second)
    lengths.emplace_back(drawn(length + 1), drawn(length));
  return batch_of(lengths);
}

void expect_filled(const data::PackedTokens& filled, const data::PackedTokens& given,
                   const PackingSizes& sizes, int64_t longest) {
  EXPECT_EQ(filled.sentences(), sizes.sentences);
  EXPECT_EQ(filled.size(), sizes.tokens);
  EXPECT_LE(sizes.max_length, longest);
  EXPECT_TRUE(std::equal(given.tokens.begin(), given.tokens.end(), filled.tokens.begin()));
  EXPECT_TRUE(std::equal(given.offsets.begin(), given.offsets.end(), filled.offsets.begin()));
  const std::vector<int64_t> lengths = encoders::lengths_of(filled);
  EXPECT_GE(std::ranges::min(lengths), 1);
  EXPECT_LE(std::ranges::max(lengths), sizes.max_length);
  const PackingSizes exact = encoders::packing_sizes(lengths, at::kCUDA);
  EXPECT_LE(exact.tiles, sizes.tiles);
  EXPECT_LE(exact.packed_tiles, sizes.packed_tiles);
}

TEST(BatchSizes, AreFewAndCostFewTokens) {
  Random random(3);
  std::set<BatchSizes> sizes;
  int64_t tokens = 0, given = 0, batches = 0;
  for (int64_t length = 4; length < 100; ++length) {
    for (int repeat = 0; repeat < 5; ++repeat, ++batches) {
      const data::ParallelBatch batch = random_batch(length, 4096, random);
      const FilledBatch filled = fill_up(batch, {128, 128});
      expect_filled(filled.pairs.source, batch.source, filled.sizes.source, 128);
      expect_filled(filled.pairs.target, batch.target, filled.sizes.target, 128);
      sizes.insert(filled.sizes);
      tokens += filled.pairs.source.size() + filled.pairs.target.size();
      given += batch.source.size() + batch.target.size();
    }
  }
  EXPECT_LT(std::ssize(sizes), batches / 3);
  EXPECT_LT(static_cast<double>(tokens), 1.04 * static_cast<double>(given));
}

TEST(BatchSizes, FitAnyBatch) {
  // One pair; a batch that is already full; sentences of one token; and long ones with few others,
  // whose fillers cannot hold the missing tokens unless there are more of them.
  const std::vector<std::vector<std::pair<int64_t, int64_t>>> cases = {
      {{1, 1}},
      {{64, 64}, {64, 64}},
      std::vector<std::pair<int64_t, int64_t>>(100, {1, 1}),
      std::vector<std::pair<int64_t, int64_t>>(63, {3, 33}),
      {{128, 1}, {1, 128}, {100, 2}},
      std::vector<std::pair<int64_t, int64_t>>(31, {128, 128}),
  };
  for (const auto& lengths : cases) {
    const data::ParallelBatch batch = batch_of(lengths);
    const FilledBatch filled = fill_up(batch, {128, 128});
    expect_filled(filled.pairs.source, batch.source, filled.sizes.source, 128);
    expect_filled(filled.pairs.target, batch.target, filled.sizes.target, 128);
  }
}

}  // namespace
}  // namespace dietmt::nmt
