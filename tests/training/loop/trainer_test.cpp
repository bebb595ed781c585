// Properties of the training loop.
#include "training/loop/trainer.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "common/random.h"
#include "encoders/ops/scopes.h"
#include "tests/common/test_directory.h"

namespace dietmt::training {
namespace {

/// Half of the smallest normal number, or zero.
float half_of_smallest() {
  const volatile float smallest = std::numeric_limits<float>::min();
  return smallest * 0.5f;
}

/// How many parts of a parallel loop compute nonzero numbers below the smallest normal one.
int64_t parts_with_subnormals() {
  std::atomic<int64_t> parts = 0;
  at::parallel_for(0, at::get_num_threads(), 1, [&](int64_t, int64_t) {
    if (half_of_smallest() != 0.0f) ++parts;
  });
  return parts;
}

struct ThreeWeights : torch::nn::Module {
  ThreeWeights() { weight = register_parameter("weight", at::ones({3})); }
  at::Tensor weight;
};

class SquareTask : public TrainingTask {
 public:
  torch::nn::Module& model() override { return model_; }
  BatchLoss accumulate_gradients(encoders::DropoutKeys&) override {
    EXPECT_EQ(parts_with_subnormals(), 0);
    ++batches_;
    const double targets = batches_ == empty_batch_ ? 0.0 : 1.0;
    const at::Tensor loss = model_.weight.square().sum() * targets;
    loss.backward();
    return {batch_sums(loss.detach(), loss.detach()), targets, 1};
  }
  void skip_batch() override {}
  double epoch() const override { return static_cast<double>(batches_) / kEpochBatches; }
  std::vector<std::string> score_names() const override { return {"valid_loss"}; }
  std::map<std::string, double> validate() override {
    validated_.push_back(batches_);
    return {{"valid_loss", model_.weight.sum().item<double>()}};
  }
  nlohmann::json data_position() const override { return {}; }
  void restore_data_position(const nlohmann::json&) override {}
  void write_model(const std::filesystem::path&, const NamedTensors&) override {}

  int64_t batches() const { return batches_; }
  /// The batch counts at which it was validated.
  const std::vector<int64_t>& validated() const { return validated_; }
  const at::Tensor& weight() const { return model_.weight; }
  void set_empty_batch(int64_t number) { empty_batch_ = number; }

  static constexpr int64_t kEpochBatches = 5;

 private:
  ThreeWeights model_;
  int64_t batches_ = 0;
  int64_t empty_batch_ = 0;  // from 1; 0: none
  std::vector<int64_t> validated_;
};

TEST(Trainer, TakesSubnormalNumbersAsZerosOnAllThreads) {
  at::set_num_threads(2);
  TrainerOptions options;
  options.output = std::filesystem::path(testing::TempDir()) / "dietmt_trainer_test";
  options.max_updates = 2;
  SquareTask task;
  ASSERT_EQ(parts_with_subnormals(), 2);
  EXPECT_EQ(train(task, options, {}, false), TrainingEnd::kFinished);
  EXPECT_EQ(task.batches(), 2);
  EXPECT_EQ(parts_with_subnormals(), 2);
  std::filesystem::remove_all(options.output);
}

TEST(Trainer, LeavesSubnormalNumbersAsTheyWere) {
  at::set_num_threads(2);
  const encoders::SubnormalsAsZeros outer;
  { const encoders::SubnormalsAsZeros inner; }
  EXPECT_EQ(parts_with_subnormals(), 0);
}

TEST(Trainer, ABatchWithoutTargetsContributesNothing) {
  const TestDirectory directory;
  TrainerOptions options;
  options.output = directory.path();
  options.max_updates = 4;
  SquareTask task;
  task.set_empty_batch(1);
  EXPECT_EQ(train(task, options, {}, false), TrainingEnd::kFinished);
  EXPECT_TRUE(at::isfinite(task.weight()).all().item<bool>());
  EXPECT_LT(task.weight()[0].item<double>(), 1.0);
}

TEST(Trainer, ValidatesAfterTheUpdatesThatEndEpochs) {
  const TestDirectory directory;
  TrainerOptions options;
  options.output = directory.path();
  options.accumulate = 3;
  options.epoch_batches = SquareTask::kEpochBatches;
  options.max_updates = 5;  // three epochs
  SquareTask task;
  EXPECT_EQ(train(task, options, {}, false), TrainingEnd::kFinished);
  EXPECT_EQ(task.validated(), (std::vector<int64_t>{6, 12, 15}));
}

/// Weights that follow noisy gradients to zero; the score is their distance from it.
class NoisyTask : public SquareTask {
 public:
  BatchLoss accumulate_gradients(encoders::DropoutKeys&) override {
    Random random(random_key(3, ++draws_));
    const at::Tensor noise = at::empty({3});
    for (int64_t i = 0; i < 3; ++i) noise[i] = random.uniform() - 0.5;
    const at::Tensor loss = (weight() + noise).square().sum();
    loss.backward();
    return {batch_sums(loss.detach(), loss.detach()), 1, 1};
  }
  std::map<std::string, double> validate() override {
    distances_.push_back(weight().norm().item<double>());
    return {{"valid_loss", distances_.back()}};
  }

  const std::vector<double>& distances() const { return distances_; }

 private:
  uint64_t draws_ = 0;
  std::vector<double> distances_;
};

TEST(Trainer, AveragedWeightsAreNoWorseThanPlainOnesAfterAHundredUpdates) {
  const auto distances = [](double decay) {
    const TestDirectory directory;
    TrainerOptions options;
    options.output = directory.path();
    options.max_updates = 400;
    options.valid_interval = 100;
    options.ema_decay = decay;
    options.schedule.schedule = Schedule::kConstant;
    options.schedule.peak_lr = 0.05;
    options.schedule.warmup_updates = 0;
    NoisyTask task;
    EXPECT_EQ(train(task, options, {}, false), TrainingEnd::kFinished);
    return task.distances();
  };
  const std::vector<double> plain = distances(0.0);
  ASSERT_EQ(plain.size(), 4U);
  for (const double decay : {0.99, 0.999, 0.9999}) {
    const std::vector<double> averaged = distances(decay);
    for (size_t i = 0; i < plain.size(); ++i) EXPECT_LT(averaged[i], plain[i]) << decay << ' ' << i;
  }
}

}  // namespace
}  // namespace dietmt::training
