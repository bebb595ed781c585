// Memory and time of a device, as measured by --dry-run and --find-batch.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "encoders/device/device_graphs.h"
#include "tests/counting_device/counting_device.h"
#include "tests/counting_device/device_memory.h"
#include "training/loop/dry_run.h"

namespace dietmt::training {
namespace {

constexpr int64_t kPiece = 1 << 14;  // bytes

struct OneWeight : torch::nn::Module {
  explicit OneWeight(at::Device device) {
    weight = register_parameter("weight", at::ones({64, kPiece / 256}).to(device));
  }
  at::Tensor weight;
};

// A text of 600 tokens. A batch of n takes n pieces of memory while it is computed.
class PieceTask : public TrainingTask {
 public:
  explicit PieceTask(int64_t tokens) : model_(counting::counting_device()), tokens_(tokens) {}

  torch::nn::Module& model() override { return model_; }
  BatchLoss accumulate_gradients(encoders::DropoutKeys&) override {
    EXPECT_FALSE(encoders::graphs_allowed());
    const at::Tensor memory = at::zeros({tokens_, kPiece / 4}, model_.weight.options());
    ++batches_;
    const at::Tensor loss = memory.view(-1).narrow(0, 0, 1).sum();
    return {batch_sums(loss, loss), static_cast<double>(tokens_), tokens_};
  }
  void skip_batch() override {}
  double epoch() const override { return static_cast<double>(batches_ * tokens_) / 600.0; }
  std::vector<std::string> score_names() const override { return {}; }
  std::map<std::string, double> validate() override { return {}; }
  nlohmann::json data_position() const override { return {}; }
  void restore_data_position(const nlohmann::json&) override {}
  void write_model(const std::filesystem::path&, const NamedTensors&) override {}

 private:
  OneWeight model_;
  int64_t tokens_;
  int64_t batches_ = 0;
};

TEST(DeviceDryRun, MeasuresTheMemoryOfTheDeviceAndWaitsTwice) {
  PieceTask(500).model();  // memory freed earlier does not count
  PieceTask task(40);
  const int64_t before = counting::allocated_bytes();
  counting::reset_counts();
  const DryRun done = dry_run(task, 5, {}, 1, true);
  EXPECT_EQ(counting::counts().waits, 2);
  EXPECT_EQ(done.tokens, 40);
  EXPECT_GT(done.seconds, 0.0);
  // Including the two moments of a weight of one piece.
  EXPECT_NEAR(static_cast<double>(done.peak_memory - before), 42.0 * kPiece, 0.5 * kPiece);
  TrainerOptions average;
  average.optimizer.type = "adafactor";  // without moments of this size
  average.ema_decay = 0.999;
  const DryRun other = dry_run(task, 5, average, 1, true);
  EXPECT_NEAR(static_cast<double>(other.peak_memory - before), 41.0 * kPiece, 0.5 * kPiece);
}

TEST(DeviceDryRun, LowRankTrainingKeepsACopyAndHasSmallMoments) {
  PieceTask task(40);
  const int64_t before = counting::allocated_bytes();
  TrainerOptions options;
  options.low_rank = {.rank = 4, .alpha = 4.0, .patterns = {"weight"}};
  const DryRun done = dry_run(task, 2, options, 1, true);
  // Two matrices of 1/16 of the weight, and their moments.
  EXPECT_NEAR(static_cast<double>(done.peak_memory - before), (41.0 + 3 * 0.125) * kPiece,
              0.25 * kPiece);
}

TEST(DeviceDryRun, LackOfMemoryNamesTheDevice) {
  PieceTask task(40);
  const counting::MemoryLimit limit(counting::allocated_bytes() + 30 * kPiece);
  try {
    dry_run(task, 2, {}, 1, true);
    FAIL() << "fits";
  } catch (const MemoryError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(" has no memory left, and this process has"));
    EXPECT_THAT(error.what(), testing::HasSubstr("give smaller batches"));
  }
}

const TaskOfBatches kPieceTasks = [](int64_t tokens) {
  return std::make_unique<PieceTask>(tokens);
};

TEST(DeviceDryRun, TheLargestBatchIsThatOfTheDevice) {
  const counting::MemoryLimit limit(counting::allocated_bytes() + 500 * kPiece);
  const int64_t found = find_batch(kPieceTasks, false, {}, 1);
  EXPECT_GE(found, 400);
  EXPECT_LT(found, 500);
}

TEST(DeviceDryRun, NoBatchIsLargerThanOneThatHoldsTheWholeText) {
  EXPECT_EQ(find_batch(kPieceTasks, false, {}, 1), 1024);
}

}  // namespace
}  // namespace dietmt::training
