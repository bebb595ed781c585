#include "training/distributed/data_parallel.h"

#include <gmock/gmock.h>

#include <mutex>

#include "tests/training/distributed/ranks.h"
#include "tests/training/distributed/toy_model.h"

namespace dietmt::training {
namespace {

using at::Tensor;

constexpr int64_t kUpdates = 5;
constexpr int64_t kPerUpdate = 5;

OptimizerOptions options() {
  OptimizerOptions options;
  options.type = "adamw";
  options.weight_decay = 0.1;
  return options;
}

struct Trained {
  std::map<std::string, Tensor> weights;
  std::map<std::string, Tensor> state;
  std::vector<double> norms;
};

Trained result_of(const ToyModel& model, const NamedTensors& state, std::vector<double> norms) {
  Trained result;
  for (const auto& item : model.named_parameters())
    result.weights[item.key()] = item.value().detach().clone();
  for (const auto& [name, tensor] : state) result.state[name] = tensor.clone();
  result.norms = std::move(norms);
  return result;
}

Trained train_alone() {
  ToyModel model;
  Optimizer optimizer(model, options());
  std::vector<double> norms;
  for (int64_t update = 0; update < kUpdates; ++update) {
    optimizer.zero_gradients();
    for (int64_t batch = 0; batch < kPerUpdate; ++batch)
      model.loss(toy_input(update * kPerUpdate + batch), batch).backward();
    norms.push_back(optimizer.scale_and_clip(0.1, 1.0).item<double>());
    optimizer.step(0.01);
  }
  return result_of(model, optimizer.state(), norms);
}

struct Part {
  const Trained* start = nullptr;  // null: a new model
  int64_t from = 0;
  int64_t to = kUpdates;
  at::ScalarType wire = at::kFloat;
};

// Only rank 0 has the whole state.
Trained train_in(ProcessGroup& group, const Part& part = {}) {
  ToyModel model;
  DataParallel parallel(model, group, kPerUpdate, part.wire);
  Optimizer optimizer(model, options(), parallel.slices());
  if (part.start != nullptr) {
    optimizer.load_state(part.start->state);
    const torch::NoGradGuard no_grad;
    for (auto& item : model.named_parameters())
      item.value().copy_(part.start->weights.at(item.key()));
  }
  std::vector<double> norms;
  for (int64_t update = part.from; update < part.to; ++update) {
    optimizer.zero_gradients();
    UpdateSums sums;
    sums.losses = at::tensor({1.0, 2.0});
    for (int64_t batch = 0; batch < kPerUpdate; ++batch) {
      if (!parallel.owns(batch)) continue;
      if (parallel.is_last(batch)) parallel.send_gradients(Sending::kWhileComputed);
      model.loss(toy_input(update * kPerUpdate + batch), batch).backward();
      sums.targets += 1.0;
    }
    sums.stop = group.rank() == 1 && update == 3;
    sums = parallel.sum(sums);
    EXPECT_EQ(sums.targets, kPerUpdate);
    EXPECT_EQ(sums.losses[0].item<double>(), group.processes());
    EXPECT_EQ(sums.losses[1].item<double>(), 2.0 * static_cast<double>(group.processes()));
    EXPECT_EQ(sums.stop, update == 3);
    norms.push_back(optimizer.scale_and_clip(0.1, 1.0, sums.gradient_norm).item<double>());
    optimizer.step(0.01);
    parallel.share_weights();
  }
  const NamedTensors whole =
      optimizer.state([&](const auto& slices) { return parallel.gather(slices); });
  return result_of(model, whole, norms);
}

void expect_near(const std::map<std::string, Tensor>& found,
                 const std::map<std::string, Tensor>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, tensor] : expected)
    EXPECT_TRUE(at::allclose(found.at(name), tensor, 1e-4, 1e-5)) << name;
}

TEST(DataParallel, EqualsOneProcess) {
  const Trained expected = train_alone();
  for (const int64_t processes : {2, 3, 5}) {
    std::mutex mutex;
    run_ranks(processes, [&](ProcessGroup& group) {
      const Trained found = train_in(group);
      const std::lock_guard lock(mutex);
      expect_near(found.weights, expected.weights);
      for (size_t i = 0; i < found.norms.size(); ++i)
        EXPECT_NEAR(found.norms[i], expected.norms[i], 1e-4 * expected.norms[i]);
      if (group.is_first()) {
        expect_near(found.state, expected.state);
      } else {
        EXPECT_TRUE(found.state.empty());
      }
    });
  }
}

TEST(DataParallel, NarrowGradientsTrainNearlyTheSame) {
  const Trained expected = train_alone();
  run_ranks(3, [&](ProcessGroup& group) {
    const Trained found = train_in(group, {.wire = at::kBFloat16});
    for (size_t i = 0; i < found.norms.size(); ++i)
      EXPECT_NEAR(found.norms[i], expected.norms[i], 2e-2 * expected.norms[i]);
    EXPECT_NE(found.norms, expected.norms);
  });
}

TEST(DataParallel, GoesOnWithAnotherNumberOfProcesses) {
  const Trained expected = train_alone();
  Trained middle;
  run_ranks(3, [&](ProcessGroup& group) {
    Trained found = train_in(group, {.to = 3});
    if (group.is_first()) middle = std::move(found);
  });
  run_ranks(2, [&](ProcessGroup& group) {
    const Trained found = train_in(group, {.start = &middle, .from = 3});
    if (group.is_first()) expect_near(found.weights, expected.weights);
  });
}

TEST(DataParallel, BatchesAreSharedOut) {
  run_ranks(2, [](ProcessGroup& group) {
    ToyModel model;
    const DataParallel parallel(model, group, 5);
    std::vector<int64_t> own, last;
    for (int64_t batch = 0; batch < 5; ++batch) {
      if (parallel.owns(batch)) own.push_back(batch);
      if (parallel.is_last(batch)) last.push_back(batch);
    }
    using ::testing::ElementsAre;
    if (group.rank() == 0) {
      EXPECT_THAT(own, ElementsAre(0, 2, 4));
      EXPECT_THAT(last, ElementsAre(4));
    } else {
      EXPECT_THAT(own, ElementsAre(1, 3));
      EXPECT_THAT(last, ElementsAre(3));
    }
  });
}

}  // namespace
}  // namespace dietmt::training
