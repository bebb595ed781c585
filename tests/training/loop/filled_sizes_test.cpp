#include "training/loop/filled_sizes.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace dietmt::training
