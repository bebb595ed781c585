#include "training/loop/recorded_passes.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <utility>

#include "encoders/device/device.h"
#include "tests/counting_device/counting_device.h"
#include "tests/counting_device/device_memory.h"
#include "tests/counting_device/recording.h"

namespace dietmt::training {
namespace {

using at::Tensor;
// The autograd engine knows only devices that exist before its first backward pass.
const at::Device kPassDevice = counting::counting_device();

/// loss = sum over the numbers n of a batch of w n^2 / 2 [+ v n], so that the gradient of w is the
/// sum of n^2 / 2. Only batches of more than two numbers use v.
struct Model : torch::nn::Module {
  Model() {
    w = register_parameter("w", at::full({}, 3.0f));
    v = register_parameter("v", at::full({}, 5.0f));
    counting::move_to_device(*this);
  }
  Tensor w, v;
};

class RecordedPassesTest : public testing::Test {
 protected:
  static Tensor batch_of(const std::vector<float>& numbers) {
    return at::tensor(numbers).to(kPassDevice);
  }

  Tensor run(const Tensor& batch) {
    encoders::DropoutKeys dropout(1);
    return passes_.run({batch.size(0)}, batch, dropout,
                       [&](const Tensor* place, encoders::DropoutKeys&) {
                         const Tensor n = place != nullptr ? *place : batch;
                         Tensor loss = (model_.w * n * n).sum() / 2;
                         if (n.size(0) > 2) loss = loss + (model_.v * n).sum();
                         loss.backward();
                         return loss.detach() * 1.0;
                       });
  }

  /// The loss of one pass.
  float loss_of(const std::vector<float>& numbers) { return run(batch_of(numbers)).item<float>(); }

  /// The loss of a pass w sum(n); the first `failures` recordings lack memory.
  float loss_of_lacking(const Tensor& batch, int& failures) {
    encoders::DropoutKeys dropout(1);
    const Tensor loss = passes_.run(
        {batch.size(0)}, batch, dropout, [&](const Tensor* place, encoders::DropoutKeys&) {
          const Tensor sum = (model_.w * (place != nullptr ? *place : batch)).sum();
          sum.backward();
          const bool fails = place != nullptr && failures > 0;
          if (fails) --failures;
          TORCH_CHECK_WITH(OutOfMemoryError, !fails, "full");
          return sum.detach() * 1.0;
        });
    return loss.item<float>();
  }

  float take_gradient(Tensor& parameter) {
    const float gradient = parameter.grad().item<float>();
    model_.zero_grad();
    return gradient;
  }

  Model model_;
  RecordedPasses passes_{model_, encoders::graphs_of(kPassDevice)};
};

int64_t replays() { return counting::launches_by_operator()["graph"]; }

TEST_F(RecordedPassesTest, ReadTheBatchOfEachReplay) {
  counting::reset_counts();
  EXPECT_EQ(loss_of({1, 2}), 7.5f);
  EXPECT_EQ(replays(), 0) << "a size is recorded when it comes again";
  EXPECT_EQ(take_gradient(model_.w), 2.5f);
  for (int i = 0; i < 3; ++i) {
    const auto number = static_cast<float>(i);
    EXPECT_EQ(loss_of({number, 4}), 1.5f * (number * number + 16.0f));
    EXPECT_EQ(replays(), i + 1);
    EXPECT_EQ(take_gradient(model_.w), (number * number + 16.0f) / 2);
  }
}

TEST_F(RecordedPassesTest, AreNotRecordedWhileGraphsAreNotAllowed) {
  {
    const encoders::WithoutGraphs without_graphs;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(loss_of({1, 2}), 7.5f);
  }
  EXPECT_EQ(passes_.graphs(), 0U);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(loss_of({1, 2}), 7.5f);
  EXPECT_EQ(passes_.graphs(), 1U);
}

TEST_F(RecordedPassesTest, GiveNoGradientToUnusedParameters) {
  for (int i = 0; i < 3; ++i) {
    model_.zero_grad();
    loss_of({1, 2});
    EXPECT_FALSE(model_.v.grad().defined()) << i;
    loss_of({1, 2, 3});
    EXPECT_EQ(model_.v.grad().item<float>(), 6.0f) << i;
  }
}

// For one size, two sizes, and with passes before and after that are not replayed.
TEST_F(RecordedPassesTest, AddTheGradientsOfAnUpdate) {
  for (int repeat = 0; repeat < 4; ++repeat) {
    model_.zero_grad();
    const Tensor first = run(batch_of({2, 4}));
    const Tensor second = run(batch_of({2, 2, 2}));
    const Tensor third = run(batch_of({6, 0}));
    const Tensor fresh = run(batch_of(std::vector<float>(static_cast<size_t>(4 + repeat), 2)));
    const Tensor fourth = run(batch_of({0, 0, 2}));
    EXPECT_EQ(model_.w.grad().item<float>(), 10 + 6 + 18 + 2 * (4 + repeat) + 2) << repeat;
    EXPECT_EQ(model_.v.grad().item<float>(), 6 + 2 * (4 + repeat) + 2) << repeat;
    EXPECT_EQ(first.item<float>(), 30.0f) << "later passes do not change these sums";
    EXPECT_EQ(third.item<float>(), 54.0f);
    EXPECT_EQ(second.item<float>(), 18.0f + 30.0f);
    EXPECT_EQ(fourth.item<float>(), 6.0f + 10.0f);
  }
}

// The first pass of a new size does not fit in addition to the graphs.
TEST_F(RecordedPassesTest, GiveTheirMemoryToAPassThatLacksIt) {
  for (int i = 0; i < 3; ++i) loss_of({1, 2});
  ASSERT_EQ(passes_.graphs(), 1U);
  const auto lacking_once = [&](const Tensor& batch) {
    encoders::DropoutKeys dropout(1);
    bool lacks = true;
    return passes_.run({batch.size(0)}, batch, dropout,
                       [&](const Tensor* place, encoders::DropoutKeys&) {
                         EXPECT_EQ(place, nullptr);
                         const Tensor loss = (model_.w * batch).sum();
                         loss.backward();
                         TORCH_CHECK_WITH(OutOfMemoryError, !std::exchange(lacks, false), "full");
                         return loss.detach() * 1.0;
                       });
  };
  EXPECT_EQ(lacking_once(batch_of({1, 2, 3, 4})).item<float>(), 30.0f);
  EXPECT_EQ(take_gradient(model_.w), 7.5f + 10.0f)
      << "of the three batches before, and of the pass: none when it failed";
  EXPECT_FALSE(passes_.records());
  EXPECT_EQ(loss_of({1, 2}), 7.5f);
}

TEST_F(RecordedPassesTest, AreRecordedAgainIfMemoryWasMissing) {
  int failures = 1;
  const int64_t before = counting::cache_releases();
  loss_of_lacking(batch_of({1, 2}), failures);
  EXPECT_EQ(counting::cache_releases(), before);
  model_.zero_grad();
  EXPECT_EQ(loss_of_lacking(batch_of({3, 4}), failures), 21.0f);
  EXPECT_EQ(take_gradient(model_.w), 7.0f) << "the recording that failed left none";
  EXPECT_EQ(passes_.graphs(), 1U);
  EXPECT_EQ(counting::cache_releases(), before + 1);
}

TEST_F(RecordedPassesTest, GoOnWithoutGraphsIfMemoryIsStillMissing) {
  int failures = 2;
  loss_of_lacking(batch_of({1, 2}), failures);
  model_.zero_grad();
  EXPECT_EQ(loss_of_lacking(batch_of({3, 4}), failures), 21.0f);
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(take_gradient(model_.w), 7.0f) << "the recordings that failed left none";
  EXPECT_FALSE(passes_.records());
}

TEST_F(RecordedPassesTest, GoOnWithoutGraphsIfThereIsNoMemoryToMoveGradients) {
  const Tensor batch = batch_of({1, 2});
  for (int i = 0; i < 2; ++i) {
    model_.zero_grad();
    run(batch);
  }
  {
    const counting::MemoryLimit limit(counting::allocated_bytes());
    EXPECT_EQ(run(batch).item<float>(), 7.5f);
  }
  EXPECT_FALSE(passes_.records());
  EXPECT_EQ(take_gradient(model_.w), 2 * 2.5f) << "of the replay before, and of the pass";
}

TEST_F(RecordedPassesTest, SeeTheWeightsOfEachReplay) {
  loss_of({1, 2});
  for (const float weight : {3.0f, 4.0f, -1.0f}) {
    model_.w.data().fill_(weight);
    EXPECT_EQ(loss_of({1, 2}), 2.5f * weight);
  }
}

TEST_F(RecordedPassesTest, GoOnWithoutGraphsIfTheDeviceCannotRecord) {
  const counting::RefusedRecordings refused;
  EXPECT_TRUE(passes_.records());
  for (int i = 0; i < 3; ++i) loss_of({1, 2});
  EXPECT_FALSE(passes_.records());
  EXPECT_EQ(take_gradient(model_.w), 7.5f) << "three passes; one could not be recorded";
}

// Sizes beyond the limit run without graphs; one that is used much more evicts another.
TEST_F(RecordedPassesTest, KeepTheMostUsedGraphs) {
  constexpr auto kMost = static_cast<size_t>(RecordedPasses::kMostGraphs);
  const auto run_size = [&](size_t size) { run(batch_of(std::vector<float>(size, 1))); };
  const auto is_replayed = [&](size_t size) {
    counting::reset_counts();
    run_size(size);
    return replays() == 1;
  };
  for (int i = 0; i < 2; ++i)
    for (size_t size = 1; size <= kMost; ++size) run_size(size);
  EXPECT_TRUE(is_replayed(1));
  EXPECT_TRUE(is_replayed(kMost));
  EXPECT_FALSE(is_replayed(kMost + 1));
  EXPECT_FALSE(is_replayed(kMost + 1));
  EXPECT_FALSE(is_replayed(kMost + 1)) << "others have been used twice, this one three times";
  EXPECT_TRUE(is_replayed(kMost + 1));
  EXPECT_FALSE(is_replayed(2)) << "the least used one had to go";
  EXPECT_TRUE(is_replayed(3));
}

}  // namespace
}  // namespace dietmt::training
