// The whole loop in eight processes, simulated by threads that share a counting device.
#include "tests/training/distributed/counting_ranks.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "common/error.h"
#include "common/exit_kinds.h"
#include "encoders/weights/safetensors.h"
#include "reporting/progress.h"
#include "tests/common/test_directory.h"
#include "tests/counting_device/counting_device.h"
#include "tests/training/distributed/ranks.h"
#include "tests/training/distributed/toy_model.h"
#include "training/loop/recorded_passes.h"
#include "training/loop/trainer.h"

namespace dietmt::training {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kRanks = 8;

// The autograd engine knows only devices that exist before its first backward pass.
const at::Device kDevice = counting::counting_device();

enum class Passes { kEnqueued, kRecorded };

// Batches of four rows, derived from the batch number.
class ToyTask : public TrainingTask {
 public:
  explicit ToyTask(at::Device device, Passes passes = Passes::kEnqueued) {
    if (!device.is_cpu()) counting::move_to_device(model_);
    passes_.emplace(model_, passes == Passes::kRecorded ? encoders::graphs_of(device) : nullptr);
  }

  torch::nn::Module& model() override { return model_; }
  bool replays_passes() const override { return passes_->records(); }
  BatchLoss accumulate_gradients(encoders::DropoutKeys& dropout) override {
    static std::mutex one_device;  // records what one thread enqueues
    std::unique_lock<std::mutex> alone(one_device, std::defer_lock);
    if (replays_passes()) alone.lock();
    const at::Tensor input = toy_input(batch_).to(model_.first.device());
    const int64_t kind = batch_++ % 2;
    const at::Tensor sums =
        passes_->run({kind}, input, dropout, [&](const at::Tensor* place, encoders::DropoutKeys&) {
          const at::Tensor loss = model_.loss(place != nullptr ? *place : input, kind);
          loss.backward();
          return batch_sums(loss, loss);
        });
    return {sums, 4, 4};
  }
  void skip_batch() override { ++batch_; }
  double epoch() const override { return static_cast<double>(batch_) / 100.0; }
  std::vector<std::string> score_names() const override { return {"valid_loss"}; }
  std::map<std::string, double> validate() override { return {{"valid_loss", 1.0}}; }
  nlohmann::json data_position() const override { return batch_; }
  void restore_data_position(const nlohmann::json& position) override { batch_ = position; }
  void write_model(const fs::path& directory, const NamedTensors& weights) override {
    encoders::save_safetensors(directory / "model.safetensors", weights);
  }

 private:
  ToyModel model_;
  std::optional<RecordedPasses> passes_;
  int64_t batch_ = 0;
};

TrainerOptions options_in(const fs::path& output) {
  TrainerOptions options;
  options.output = output;
  options.max_updates = 12;
  options.accumulate = kRanks;
  options.valid_interval = 6;
  options.log_interval = 1;
  options.ema_decay = 0.9;
  options.schedule.warmup_updates = 2;
  options.schedule.total_updates = 12;
  return options;
}

void train_on_counting_ranks(const fs::path& output, Passes passes) {
  const RendezvousStore rendezvous;
  CountingCollectives collectives(kRanks);
  const TrainerOptions options = options_in(output);
  std::vector<std::exception_ptr> failures(kRanks);
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const auto connect = [&](const auto&, int64_t own, int64_t ranks,
                                 std::chrono::milliseconds) {
          return c10::make_intrusive<CountingBackend>(collectives, own, ranks);
        };
        // By name, each has a different device.
        const at::Device own_device(kDevice.type(), static_cast<at::DeviceIndex>(rank));
        ProcessGroup group(place_of(rank, kRanks, rendezvous), own_device, "", connect);
        ToyTask task(kDevice, passes);
        train(task, options, {}, false, &group);
      } catch (...) {
        failures[static_cast<size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

// Like NCCL when two ranks have one GPU.
struct BrokenBackend : CountingBackend {
  using CountingBackend::CountingBackend;
  WorkPointer allreduce(std::vector<at::Tensor>&, const c10d::AllreduceOptions&) override {
    C10_THROW_ERROR(DistBackendError, "NCCL error: invalid usage\nDuplicate GPU detected");
  }
};

TEST(CountingRanks, SayWhyTheirDevicesCannotBeConnected) {
  const RendezvousStore rendezvous;
  CountingCollectives collectives(1);
  const auto connect = [&](const auto&, int64_t own, int64_t ranks, std::chrono::milliseconds) {
    return c10::make_intrusive<BrokenBackend>(collectives, own, ranks);
  };
  try {
    const ProcessGroup group(place_of(0, 1, rendezvous), kDevice, "", connect);
    FAIL() << "connected";
  } catch (const PeerError& error) {
    FAIL() << "no peer is lost: " << error.what();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("rank 0 on "));
    EXPECT_THAT(error.what(),
                testing::EndsWith(" cannot connect its GPU with the others: NCCL error: invalid "
                                  "usage Duplicate GPU detected"));
  }
}

/// Connects, and then fails.
struct FailingBackend : CountingBackend {
  FailingBackend(CountingCollectives& collectives, std::function<void()> failure)
      : CountingBackend(collectives, 0, 1), fail(std::move(failure)) {}
  WorkPointer allreduce(std::vector<at::Tensor>& values,
                        const c10d::AllreduceOptions& options) override {
    if (connected) fail();
    connected = true;
    return CountingBackend::allreduce(values, options);
  }
  std::function<void()> fail;
  bool connected = false;
};

void sum_over_devices_that(const std::function<void()>& fail) {
  const RendezvousStore rendezvous;
  CountingCollectives collectives(1);
  const auto connect = [&](const auto&, int64_t, int64_t, std::chrono::milliseconds) {
    return c10::make_intrusive<FailingBackend>(collectives, fail);
  };
  ProcessGroup group(place_of(0, 1, rendezvous), kDevice, "", connect);
  group.sum(at::zeros({1}, kDevice));
}

// A launcher that restarts after a lost process would do so for ever.
TEST(CountingRanks, AMistakeIsNoLossOfAnotherProcess) {
  EXPECT_THROW(sum_over_devices_that([] { throw std::logic_error("a mistake"); }),
               std::logic_error);
  try {
    sum_over_devices_that([] { C10_THROW_ERROR(DistBackendError, "out of something"); });
    FAIL() << "no error";
  } catch (const PeerError& error) {
    FAIL() << "no peer is lost: " << error.what();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("out of something"));
  }
}

TEST(CountingRanks, WhatOnlyOneProcessCanTrainIsRefused) {
  const RendezvousStore rendezvous;
  CountingCollectives collectives(1);
  const auto connect = [&](const auto&, int64_t own, int64_t ranks, std::chrono::milliseconds) {
    return c10::make_intrusive<CountingBackend>(collectives, own, ranks);
  };
  ProcessGroup group(place_of(0, 1, rendezvous), kDevice, "", connect);
  const TestDirectory directory;
  for (const char* type : {"muon", "adafactor"}) {
    TrainerOptions options = options_in(directory.path());
    options.optimizer.type = type;
    ToyTask task(kDevice);
    EXPECT_THROW(train(task, options, {}, false, &group), ConfigError) << type;
  }
}

void expect_eight_train_as_one(Passes passes) {
  const TestDirectory one, eight;
  ToyTask alone(at::kCPU);
  train(alone, options_in(one.path()), {}, false);
  train_on_counting_ranks(eight.path(), passes);
  for (const char* file : {"model.safetensors", "training.safetensors"}) {
    const auto expected = encoders::load_safetensors(one.path() / "last" / file);
    const auto found = encoders::load_safetensors(eight.path() / "last" / file);
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [name, tensor] : expected)
      EXPECT_TRUE(at::allclose(found.at(name), tensor, 1e-3, 1e-4)) << name;
  }
  const auto expected = reporting::read_progress(one.path() / "progress.jsonl");
  const auto found = reporting::read_progress(eight.path() / "progress.jsonl");
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found[i].at("update"), expected[i].at("update"));
    if (expected[i].at("kind") != "train") continue;
    EXPECT_NEAR(found[i].at("loss"), expected[i].at("loss"), 1e-3);
    EXPECT_NEAR(found[i].at("gradient_norm"), expected[i].at("gradient_norm"), 1e-3);
  }
}

TEST(CountingRanks, EightTrainAsOneProcessOnTheCpu) {
  expect_eight_train_as_one(Passes::kEnqueued);
}

// A rank has one batch of an update; it is replayed from the third update on.
TEST(CountingRanks, EightWithGraphsTrainAsOneProcessOnTheCpu) {
  counting::reset_counts();
  expect_eight_train_as_one(Passes::kRecorded);
  EXPECT_EQ(counting::launches_by_operator()["graph"], 11 * kRanks);
}

TEST(CountingRanks, AnotherOrderOfCollectivesIsNoticed) {
  CountingCollectives collectives(2);
  const auto nothing = [](const auto&, const auto&) {};
  collectives.arrive(0, 0, at::zeros({3}), at::zeros({3}), nothing);
  EXPECT_THROW(collectives.arrive(0, 1, at::zeros({4}), at::zeros({4}), nothing), std::logic_error);
}

}  // namespace
}  // namespace dietmt::training
