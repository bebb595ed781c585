#include "service/scheduling/decoder_speed.h"

#include <gtest/gtest.h>

namespace dietmt::service {
namespace {

using std::chrono::seconds;

TEST(DecoderSpeedTest, IsZeroBeforeAnythingWasMeasured) {
  DecoderSpeed rate;
  rate.start(DecoderSpeed::Clock::time_point(seconds(5)));
  EXPECT_EQ(rate.tokens_per_second(), 0.0);
}

TEST(DecoderSpeedTest, IdleTimeDoesNotCount) {
  DecoderSpeed rate;
  DecoderSpeed::Clock::time_point now(seconds(100));
  for (int burst = 0; burst < 3; ++burst) {
    rate.start(now);
    for (int i = 0; i < 5; ++i) rate.add(200, now += seconds(1));
    now += seconds(1000);
  }
  EXPECT_NEAR(rate.tokens_per_second(), 200.0, 5.0);
}

TEST(DecoderSpeedTest, FollowsAChangeOfSpeed) {
  DecoderSpeed rate;
  DecoderSpeed::Clock::time_point now(seconds(1));
  rate.start(now);
  for (int i = 0; i < 100; ++i) rate.add(100, now += seconds(1));
  for (int i = 0; i < 200; ++i) rate.add(1000, now += seconds(1));
  EXPECT_NEAR(rate.tokens_per_second(), 1000.0, 30.0);
}

}  // namespace
}  // namespace dietmt::service
