#include "training/loop/update_log.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "common/error.h"
#include "reporting/progress.h"
#include "tests/common/test_directory.h"
#include "tests/counting_device/counting_device.h"

namespace dietmt::training {
namespace {

UpdateSums sums_of(double loss, double target_loss) {
  UpdateSums sums;
  sums.losses = at::tensor({loss, target_loss});
  sums.targets = 4.0;
  return sums;
}

at::Tensor scalar(double value) { return at::scalar_tensor(value, at::kDouble); }

// The entries in progress.jsonl for three updates, whose sums `compute` gives to the log.
template <typename Compute>
auto logged_updates(const Compute& compute) {
  const TestDirectory directory;
  TrainerOptions options;
  options.output = directory.path();
  options.log_interval = 1;
  TrainingState state;
  {
    RunRecord record(options, {}, state);
    UpdateLog log(state.divergence, 1.0, &record);
    for (int64_t update = 1; update <= 3; ++update) {
      compute(log, update);
      log.stepped({.update = update,
                   .epoch = 0.1 * static_cast<double>(update),
                   .tokens = 4,
                   .seconds = 0.1});
    }
    log.catch_up();
  }
  return reporting::read_progress(directory.path() / "progress.jsonl");
}

TEST(UpdateLog, RecordsMeansWithTheirUpdates) {
  const auto entries = logged_updates([](UpdateLog& log, int64_t update) {
    const auto number = static_cast<double>(update);
    log.computed(update, sums_of(8.0, 4.0 * number), scalar(0.5 * number));
  });
  ASSERT_EQ(entries.size(), 3);
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].at("update"), i + 1);
    EXPECT_DOUBLE_EQ(entries[i].at("loss"), static_cast<double>(i + 1));
    EXPECT_DOUBLE_EQ(entries[i].at("gradient_norm"), 0.5 * static_cast<double>(i + 1));
  }
}

TEST(UpdateLog, AnUpdateWithoutTargetsRepeatsTheLossBefore) {
  const auto entries = logged_updates([](UpdateLog& log, int64_t update) {
    UpdateSums sums = update == 2 ? sums_of(0.0, 0.0) : sums_of(8.0, 8.0);
    if (update == 2) sums.targets = 0.0;
    log.computed(update, sums, scalar(1.0));
  });
  ASSERT_EQ(entries.size(), 3);
  for (const auto& entry : entries) EXPECT_DOUBLE_EQ(entry.at("loss"), 2.0);
}

TEST(UpdateLog, OnTheCpuABrokenUpdateIsNamedBeforeItsStep) {
  DivergenceCheck check;
  UpdateLog log(check, 1.0, nullptr);
  log.computed(6, sums_of(8.0, 8.0), scalar(1.0));
  try {
    log.computed(7, sums_of(8.0, 8.0), scalar(std::nan("")));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("update 7: the gradient norm is not"));
  }
}

TEST(UpdateLog, OnADeviceItIsNamedLaterAndNobodyWaits) {
  const auto on_device = [](const at::Tensor& numbers) {
    return numbers.to(counting::counting_device());
  };
  DivergenceCheck check;
  UpdateLog log(check, 1.0, nullptr);
  UpdateSums good = sums_of(8.0, 8.0), bad = sums_of(std::nan(""), 8.0);
  good.losses = on_device(good.losses);
  bad.losses = on_device(bad.losses);
  const at::Tensor norm = on_device(scalar(1.0));
  counting::reset_counts();
  log.computed(1, good, norm);
  log.computed(2, bad, norm);
  for (size_t later = 1; later < UpdateLog::kDelay; ++later)
    log.computed(2 + static_cast<int64_t>(later), good, norm);
  EXPECT_EQ(counting::counts().waits, 0);
  try {
    log.computed(9, good, norm);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("update 2: the loss is not"));
  }
  EXPECT_EQ(counting::counts().waits, 0);
}

}  // namespace
}  // namespace dietmt::training
