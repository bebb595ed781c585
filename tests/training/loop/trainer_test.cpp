// What holds while the training loop runs.
#include "training/loop/trainer.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>

namespace dietmt::training {
namespace {

/// Half of the smallest normal number, or zero.
float half_of_smallest() {
  const volatile float smallest = std::numeric_limits<float>::min();
  return smallest * 0.5f;
}

/// Parts of a parallel loop with other numbers than zero below the smallest normal one.
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
    const at::Tensor loss = model_.weight.square().sum();
    loss.backward();
    ++batches_;
    return {batch_sums(loss.detach(), loss.detach()), 1, 1};
  }
  void skip_batch() override {}
  double epoch() const override { return static_cast<double>(batches_); }
  std::vector<std::string> score_names() const override { return {"valid_loss"}; }
  std::map<std::string, double> validate() override { return {{"valid_loss", 1.0}}; }
  nlohmann::json data_position() const override { return {}; }
  void restore_data_position(const nlohmann::json&) override {}
  void write_model(const std::filesystem::path&, const NamedTensors&) override {}

  int64_t batches() const { return batches_; }

 private:
  ThreeWeights model_;
  int64_t batches_ = 0;
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

}  // namespace
}  // namespace dietmt::training
