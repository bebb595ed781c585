#include "training/loop/filled_sizes.h"

#include <gtest/gtest.h>

#include <set>

#include "common/random.h"

namespace dietmt::training {
namespace {

TEST(FilledSizes, RoundUpToFewDigits) {
  EXPECT_EQ(rounded_up(1, 2), 1);
  EXPECT_EQ(rounded_up(7, 2), 7);
  EXPECT_EQ(rounded_up(9, 2), 10);
  EXPECT_EQ(rounded_up(65, 2), 80);
  EXPECT_EQ(rounded_up(4000, 4), 4096);
  EXPECT_EQ(rounded_up(4097, 4), 4352);
  EXPECT_EQ(rounded_up(33, 1), 48);
  EXPECT_EQ(rounded_up(48, 1), 48);
}

constexpr int64_t kLongest = 128;

/// Sentences of 8 to 128 tokens, as many as fit.
data::PackedTokens random_batch(Random& random, int64_t tokens) {
  data::PackedTokens packed;
  while (true) {
    const auto length = 8 + random.below(static_cast<uint64_t>(kLongest) - 7);
    if (packed.size() + static_cast<int64_t>(length) > tokens) return packed;
    packed.append(std::vector<int32_t>(length, 7));
  }
}

// One side, as in BERT's examples, and two.
TEST(FilledSizes, AreFewAndReached) {
  Random random(3);
  std::set<std::vector<int64_t>> one_side, two_sides;
  double given = 0.0, filled = 0.0;
  for (int i = 0; i < 1000; ++i) {
    data::PackedTokens source = random_batch(random, 4096), target;
    for (int64_t b = 0; b < source.sentences(); ++b)
      target.append(std::vector<int32_t>(1 + random.below(kLongest), 7));
    for (const bool both : {false, true}) {
      std::vector<GivenSentences> sides = {{source, kLongest}};
      if (both) sides.push_back({target, kLongest});
      const auto sizes = filled_sizes(sides);
      (both ? two_sides : one_side).insert(list_of(sizes));
      for (size_t side = 0; side < sides.size(); ++side) {
        data::PackedTokens packed = sides[side].packed;
        const int64_t before = packed.sentences();
        append_fillers(packed, sizes[side]);
        ASSERT_EQ(packed.sentences(), sizes[side].sentences);
        ASSERT_EQ(packed.size(), sizes[side].tokens);
        ASSERT_EQ(sizes[side].sentences, sizes[0].sentences);
        for (int64_t b = before; b < packed.sentences(); ++b) {
          const auto at = static_cast<size_t>(b);
          const int64_t length = packed.offsets[at + 1] - packed.offsets[at];
          ASSERT_GE(length, 1);
          ASSERT_LE(length, sizes[side].max_length);
        }
        if (both) continue;
        given += static_cast<double>(sides[0].packed.size());
        filled += static_cast<double>(packed.size());
      }
    }
  }
  EXPECT_LE(one_side.size(), 20U);
  EXPECT_LE(two_sides.size(), 200U);
  EXPECT_LE(filled / given, 1.08);
}

}  // namespace
}  // namespace dietmt::training
