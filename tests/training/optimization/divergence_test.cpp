#include "training/optimization/divergence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"

namespace dietmt::training {
namespace {

using testing::HasSubstr;

std::string failure(DivergenceCheck& check, int64_t update, double loss, double norm) {
  try {
    check.check(update, loss, norm, 1.0);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(DivergenceCheck, StopsAtValuesThatAreNotFinite) {
  DivergenceCheck check;
  EXPECT_EQ(failure(check, 1, 5.0, 1.0), "");
  EXPECT_THAT(failure(check, 2, std::nan(""), 1.0), HasSubstr("update 2: the loss"));
  EXPECT_THAT(failure(check, 3, 5.0, INFINITY), HasSubstr("update 3: the gradient norm"));
}

TEST(DivergenceCheck, AdvisesWhatIsLeftToTry) {
  const auto advice = [](double clip_norm) -> std::string {
    try {
      DivergenceCheck().check(1, std::nan(""), 1.0, clip_norm);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(advice(1.0), HasSubstr("a smaller --clip-norm"));
  EXPECT_THAT(advice(0.0), HasSubstr("clipped gradients (--clip-norm 1)"));
}

TEST(DivergenceCheck, ToleratesSpikesButNotALastingRise) {
  DivergenceCheck check;
  int64_t update = 0;
  for (; update < 300; ++update) ASSERT_EQ(failure(check, update, 3.0, 1.0), "");
  EXPECT_EQ(failure(check, update++, 20.0, 1.0), "");
  std::string message;
  while (message.empty() && update < 2000) message = failure(check, update++, 8.0, 1.0);
  EXPECT_THAT(message, HasSubstr("diverged"));
}

TEST(DivergenceCheck, ARisingStartIsNotDivergence) {
  DivergenceCheck check;
  for (int64_t update = 0; update < 1000; ++update)
    ASSERT_EQ(failure(check, update, 9.0 - 0.005 * static_cast<double>(update), 1.0), "");
}

TEST(DivergenceCheck, StateRoundTrip) {
  DivergenceCheck check, restored;
  for (int64_t update = 0; update < 50; ++update)
    check.check(update, 4.0 - 0.01 * update, 1.0, 1.0);
  restored.restore(check.state());
  EXPECT_EQ(restored.state(), check.state());
}

}  // namespace
}  // namespace dietmt::training
