#include "training/optimization/schedule.h"

#include <gmock/gmock.h>

#include <cmath>

#include "common/error.h"

namespace dietmt::training {
namespace {

ScheduleOptions options_of(Schedule schedule) {
  return {.schedule = schedule,
          .peak_lr = 0.005,
          .min_lr = 0.0001,
          .warmup_init_lr = 1e-7,
          .warmup_updates = 2000,
          .total_updates = 8000};
}

constexpr Schedule kAll[] = {Schedule::kInverseSqrt, Schedule::kLinear, Schedule::kCosine,
                             Schedule::kConstant};

TEST(Schedule, WarmsUpLinearlyToThePeak) {
  for (const Schedule schedule : kAll) {
    const ScheduleOptions options = options_of(schedule);
    EXPECT_DOUBLE_EQ(learning_rate(options, 0), 1e-7);
    EXPECT_DOUBLE_EQ(learning_rate(options, 500), 1e-7 + (0.005 - 1e-7) / 4);
    EXPECT_DOUBLE_EQ(learning_rate(options, 2000), 0.005);
  }
}

TEST(Schedule, DecaysByItsFormula) {
  EXPECT_DOUBLE_EQ(learning_rate(options_of(Schedule::kInverseSqrt), 8000), 0.0025);
  EXPECT_DOUBLE_EQ(learning_rate(options_of(Schedule::kLinear), 3500), 0.005 - 0.0049 / 4);
  EXPECT_DOUBLE_EQ(learning_rate(options_of(Schedule::kCosine), 5000), 0.0001 + 0.0049 / 2);
  EXPECT_DOUBLE_EQ(learning_rate(options_of(Schedule::kCosine), 4000),
                   0.0001 + 0.0049 * 0.75);  // cos(pi / 3) = 1/2
  EXPECT_DOUBLE_EQ(learning_rate(options_of(Schedule::kConstant), 1'000'000), 0.005);
}

TEST(Schedule, StaysAtTheMinimum) {
  EXPECT_DOUBLE_EQ(learning_rate(options_of(Schedule::kInverseSqrt), 100'000'000), 0.0001);
  for (const Schedule schedule : {Schedule::kLinear, Schedule::kCosine}) {
    EXPECT_NEAR(learning_rate(options_of(schedule), 8000), 0.0001, 1e-15);
    EXPECT_NEAR(learning_rate(options_of(schedule), 9000), 0.0001, 1e-15);
  }
}

TEST(Schedule, WorksWithoutWarmUp) {
  for (const Schedule schedule : kAll) {
    ScheduleOptions options = options_of(schedule);
    options.warmup_updates = 0;
    EXPECT_DOUBLE_EQ(learning_rate(options, 0), 0.005) << schedule_name(schedule);
  }
}

TEST(Schedule, EveryUpdateOfATrainingHasARate) {
  for (const Schedule schedule : kAll) {
    ScheduleOptions options = options_of(schedule);
    options.min_lr = 0.0;
    for (const int64_t update : {1, 2000, 2001, 8000})
      EXPECT_GT(rate_of_update(options, update), 0.0) << schedule_name(schedule) << update;
    EXPECT_DOUBLE_EQ(rate_of_update(options, 2000), 0.005);
    options.warmup_updates = 0;
    options.total_updates = 1;
    EXPECT_DOUBLE_EQ(rate_of_update(options, 1), 0.005) << schedule_name(schedule);
  }
  ScheduleOptions linear = options_of(Schedule::kLinear);
  linear.min_lr = 0.0;
  EXPECT_NEAR(rate_of_update(linear, 8000), 0.005 / 6000, 1e-15);
  EXPECT_DOUBLE_EQ(rate_of_update(options_of(Schedule::kInverseSqrt), 8000), 0.0025);
}

TEST(Schedule, NamesRoundTripAndUnknownOnesAreRefused) {
  for (const Schedule schedule : kAll) {
    EXPECT_EQ(schedule_from_name(schedule_name(schedule)), schedule);
  }
  EXPECT_THROW(schedule_from_name("inverse_sqr"), ConfigError);
}

TEST(Schedule, ReportsAllProblems) {
  EXPECT_THAT(options_of(Schedule::kLinear).problems(), testing::IsEmpty());
  ScheduleOptions options = options_of(Schedule::kCosine);
  options.total_updates = 0;
  options.warmup_init_lr = 1;
  options.min_lr = std::nan("");
  EXPECT_THAT(options.problems(), testing::SizeIs(3));
  options.peak_lr = std::nan("");
  // What was right before the rate is not compared with a wrong one.
  EXPECT_THAT(options.problems(), testing::ElementsAre(testing::StartsWith("--learning-rate"),
                                                       testing::StartsWith("--min-lr"),
                                                       testing::StartsWith("--schedule")));
}

}  // namespace
}  // namespace dietmt::training
