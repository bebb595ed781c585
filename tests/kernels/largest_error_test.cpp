#include "tests/kernels/largest_error.h"

#include <gtest/gtest.h>

#include <limits>

namespace dietmt::kernels {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(LargestErrorTest, IsTheLargestDistance) {
  EXPECT_EQ(largest_error({1.0, -2.0, 3.0}, {1.5, 1.0, 3.0}), 3.0);
  EXPECT_EQ(largest_error({}, {}), 0.0);
}

TEST(LargestErrorTest, IsNotANumberWhereverOneIs) {
  for (size_t place = 0; place < 3; ++place) {
    std::vector<double> values = {1.0, 2.0, 3.0};
    values[place] = kNotANumber;
    EXPECT_TRUE(std::isnan(largest_error(values, {0.0, 9.0, 0.0}))) << place;
    EXPECT_TRUE(std::isnan(largest_error({0.0, 9.0, 0.0}, values))) << place;
  }
}

TEST(LargestErrorTest, TheSameInfinityIsNoError) {
  EXPECT_EQ(largest_error({kInfinity, 1.0}, {kInfinity, 1.0}), 0.0);
  EXPECT_EQ(largest_error({-kInfinity}, {kInfinity}), kInfinity);
}

}  // namespace
}  // namespace dietmt::kernels
