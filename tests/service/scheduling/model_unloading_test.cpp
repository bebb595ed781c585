// Models that are unloaded because nobody uses them, and to make room for others.
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/error.h"
#include "service/scheduling/model_registry.h"
#include "service/scheduling/scheduling_errors.h"
#include "tests/common/soon.h"
#include "tests/common/test_directory.h"
#include "tests/service/fake_decoder.h"
#include "tests/service/gate.h"
#include "tests/service/scheduling/translated.h"

namespace dietmt::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int64_t kBytes = 100;  // of each model

// Models a, b, c, d in directories with files of kBytes; each ends its translations with its name.
class ModelUnloadingTest : public testing::Test {
 protected:
  ModelUnloadingTest() {
    for (const char* name : {"a", "b", "c", "d"}) {
      std::filesystem::create_directory(directory_ / name);
      write_text(directory_ / name / "model.safetensors", std::string(kBytes, 'x'));
      specs_.push_back({name, "en", "de", directory_ / name});
    }
  }

  ModelRegistry registry(const RegistrySettings& settings) {
    return ModelRegistry(
        specs_,
        [this](const ModelSpec& spec) {
          if (!std::filesystem::exists(spec.directory))
            throw CheckpointError(spec.directory.string() + ": no such directory");
          nmt::LoadedDecoder model = fake_model({}, spec.name + mark_);
          const std::lock_guard lock(mutex_);
          decoders_.push_back(model.decoder);
          return model;
        },
        settings);
  }

  static ModelState state(const ModelRegistry& models, size_t index) {
    return models.status().at(index).state;
  }

  // The names of the models that are loaded.
  static std::string loaded(const ModelRegistry& models) {
    std::string names;
    for (const ModelStatus& one : models.status())
      if (one.bytes > 0) names += one.spec.name;
    return names;
  }

  TestDirectory directory_;
  std::vector<ModelSpec> specs_;
  std::string mark_;
  std::mutex mutex_;                                                 // of loads
  std::vector<std::weak_ptr<const nmt::SentenceDecoder>> decoders_;  // one per load
};

TEST_F(ModelUnloadingTest, AModelThatNobodyUsesIsUnloadedAndLoadedAgain) {
  ModelRegistry models = registry({.unload_after = 50ms});
  EXPECT_EQ(translated(*models.acquire("a", {}), "x"), "Xa");
  EXPECT_TRUE(soon([&] { return state(models, 0) == ModelState::kNotLoaded; }));
  EXPECT_TRUE(soon([&] { return decoders_.at(0).expired(); })) << "it is still in memory";
  EXPECT_EQ(models.status()[0].bytes, 0);
  EXPECT_EQ(models.status()[0].max_source_length, 0);
  models.reload("");
  EXPECT_EQ(decoders_.size(), 1) << "reloaded, although it was unloaded";
  EXPECT_EQ(translated(*models.acquire("a", {}), "x"), "Xa");
  EXPECT_EQ(models.status()[0].loads, 2);
}

TEST_F(ModelUnloadingTest, AModelInUseStays) {
  ModelRegistry models = registry({.unload_after = 20ms});
  auto held = models.acquire("a", {});
  models.acquire("b", {});
  EXPECT_TRUE(soon([&] { return state(models, 1) == ModelState::kNotLoaded; }));
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(state(models, 0), ModelState::kReady);
  EXPECT_EQ(translated(*held, "x"), "Xa");
  held.reset();
  EXPECT_TRUE(soon([&] { return state(models, 0) == ModelState::kNotLoaded; }));
}

TEST_F(ModelUnloadingTest, TheLeastRecentlyUsedOneMakesRoom) {
  ModelRegistry models = registry({.memory = 2 * kBytes});
  for (const char* name : {"a", "b", "a", "c"}) models.acquire(name, {});
  EXPECT_EQ(loaded(models), "ac");
  models.acquire("a", {});
  models.acquire("b", {});
  EXPECT_EQ(loaded(models), "ab");
  EXPECT_EQ(models.status()[0].loads, 1);
  EXPECT_EQ(models.status()[0].bytes, kBytes);
}

TEST_F(ModelUnloadingTest, RequestsGetTheMemoryInOrder) {
  ModelRegistry models = registry({.memory = kBytes});
  std::mutex mutex;
  std::string order;
  std::atomic<int> asking{0};
  std::vector<std::thread> threads;
  auto held = models.acquire("a", {});
  for (const char* name : {"b", "a", "c"}) {  // the second must not keep `a` loaded
    const int before = asking;
    threads.emplace_back([&, name, looked = false]() mutable {
      const Patience patience{.client_gone = [&] {
        if (!std::exchange(looked, true)) ++asking;
        return false;
      }};
      const auto model = models.acquire(name, patience);
      const std::lock_guard lock(mutex);
      order += translated(*model, "");
    });
    ASSERT_TRUE(soon([&] { return asking > before; }));
  }
  EXPECT_EQ(order, "");
  held.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, "bac");
}

TEST_F(ModelUnloadingTest, OtherModelsAreServedWhileALoadWaitsForRoom) {
  ModelRegistry models = registry({.memory = 2 * kBytes});
  auto a = models.acquire("a", {});
  auto b = models.acquire("b", {});
  auto c = std::async(std::launch::async, [&] { return models.acquire("c", {}); });
  EXPECT_EQ(c.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(translated(*models.acquire("b", {.deadline = Clock::now() + 30s}), "x"), "Xb");
  EXPECT_THROW(models.acquire("a", {.deadline = Clock::now() + 20ms}), DeadlineExceeded);
  EXPECT_EQ(translated(*a, "x"), "Xa");
  a.reset();
  EXPECT_EQ(translated(*c.get(), "x"), "Xc");
  EXPECT_EQ(translated(*b, "x"), "Xb");
}

TEST_F(ModelUnloadingTest, TheDeadlineAndAClientThatLeavesEndTheWait) {
  ModelRegistry models = registry({.memory = kBytes});
  auto held = models.acquire("a", {});
  EXPECT_THROW(models.acquire("b", {.deadline = Clock::now() + 20ms}), DeadlineExceeded);
  EXPECT_THROW(models.acquire("b", {.client_gone = [] { return true; }}), ClientGone);
  EXPECT_EQ(translated(*models.acquire("a", {}), "x"), "Xa") << "the others wait no longer";
  auto next = std::async(std::launch::async, [&] { return models.acquire("c", {}); });
  held.reset();
  EXPECT_EQ(translated(*next.get(), "x"), "Xc");
}

TEST_F(ModelUnloadingTest, ADrainingServerEndsTheWait) {
  ModelRegistry models = registry({.memory = kBytes});
  const auto held = models.acquire("a", {});
  auto waiting = std::async(std::launch::async, [&] { return models.acquire("b", {}); });
  EXPECT_EQ(waiting.wait_for(20ms), std::future_status::timeout);
  models.drain();
  EXPECT_THROW(waiting.get(), Unavailable);
}

TEST_F(ModelUnloadingTest, ModelsOfAPathGetTheirMemoryTogether) {
  ModelRegistry models = registry({.memory = 2 * kBytes});
  const std::vector<std::vector<std::string>> paths = {
      {"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", "a"}};
  std::vector<std::thread> threads;
  std::atomic<int> done{0};
  for (const std::vector<std::string>& path : paths) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        const auto served = models.acquire(path, {});
        EXPECT_EQ(translated(*served.at(0), "x"), "X" + path[0]);
        EXPECT_EQ(translated(*served.at(1), "x"), "X" + path[1]);
        ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 40);
}

TEST_F(ModelUnloadingTest, WhatNeverFitsIsRefused) {
  write_text(directory_ / "a" / "tokenizer.model", std::string(kBytes, 'x'));
  write_text(directory_ / "a" / "training.safetensors", std::string(kBytes, 'x'));  // not loaded
  ModelRegistry models = registry({.memory = (3 << 19)});
  EXPECT_EQ(model_bytes(specs_[0]), 2 * kBytes);
  EXPECT_EQ(translated(*models.acquire("a", {}), "x"), "Xa");
  write_text(directory_ / "b" / "model.safetensors", std::string(3 << 19, 'x'));
  write_text(directory_ / "c" / "model.safetensors", std::string(4 << 20, 'x'));
  EXPECT_THAT(message_of<Unavailable>([&] {
                models.acquire(std::vector<std::string>{"a", "b"}, {});
              }),
              HasSubstr("not enough memory for the models a, b together"));
  EXPECT_EQ(loaded(models), "a") << "it was unloaded in vain";
  EXPECT_THAT(message_of<Unavailable>([&] { models.acquire("c", {}); }),
              HasSubstr("'c' cannot be loaded"));
  EXPECT_EQ(
      models.status()[2].error,
      specs_[2].directory.string() + " needs 4 MB of memory: raise --model-memory, which is 1");
  EXPECT_EQ(translated(*models.acquire("b", {}), "x"), "Xb");
}

TEST_F(ModelUnloadingTest, AModelWhoseDirectoryIsGoneFailsAndTheOthersLive) {
  ModelRegistry models = registry({.retry_load = 0s, .memory = kBytes});
  models.acquire("a", {});
  EXPECT_EQ(translated(*models.acquire("b", {}), "x"), "Xb");
  std::filesystem::rename(directory_ / "a", directory_ / "gone");
  EXPECT_THAT(message_of<Unavailable>([&] { models.acquire("a", {}); }),
              HasSubstr("model 'a' cannot be loaded"));
  EXPECT_EQ(models.status()[0].error, specs_[0].directory.string() + ": no such directory");
  EXPECT_EQ(loaded(models), "b");
  std::filesystem::rename(directory_ / "gone", directory_ / "a");
  EXPECT_EQ(translated(*models.acquire("a", {}), "x"), "Xa");
}

TEST_F(ModelUnloadingTest, AModelThatDoesNotFitTwiceIsUnloadedBeforeItsReload) {
  ModelRegistry models = registry({.memory = 2 * kBytes - 1});
  mark_ = "1";
  auto held = models.acquire("a", {});
  mark_ = "2";
  auto reload = std::async(std::launch::async, [&] { models.reload("a"); });
  EXPECT_EQ(reload.wait_for(50ms), std::future_status::timeout)
      << "it did not wait for the request";
  EXPECT_EQ(translated(*held, "x"), "Xa1");
  held.reset();
  reload.get();
  EXPECT_TRUE(decoders_.at(0).expired());
  EXPECT_EQ(translated(*models.acquire("a", {}), "x"), "Xa2");
  EXPECT_EQ(models.status()[0].loads, 2);
}

TEST_F(ModelUnloadingTest, AReloadUnloadsOthersForBothWeights) {
  ModelRegistry models = registry({.memory = 2 * kBytes});
  auto held = models.acquire("a", {});
  models.acquire("b", {});
  models.reload("a");
  EXPECT_EQ(loaded(models), "a");
  EXPECT_EQ(translated(*models.acquire("a", {}), "x"), "Xa");
  held.reset();
  EXPECT_TRUE(soon([&] { return decoders_.at(0).expired(); }));
  models.acquire("b", {});
  EXPECT_EQ(loaded(models), "ab");
}

TEST_F(ModelUnloadingTest, PreloadingStopsWhereTheMemoryIsFull) {
  ModelRegistry models = registry({.memory = 2 * kBytes});
  models.preload();
  EXPECT_EQ(loaded(models), "ab");
  EXPECT_EQ(decoders_.size(), 2);
}

TEST_F(ModelUnloadingTest, TheDeadlineHoldsForTheRequestThatStartsALoad) {
  Gate gate;
  ModelRegistry models(specs_,
                       [&](const ModelSpec&) {
                         gate.wait();
                         return fake_model();
                       },
                       {});
  EXPECT_THROW(models.acquire("a", {.deadline = Clock::now() + 20ms}), DeadlineExceeded);
  EXPECT_THROW(models.acquire("a", {.client_gone = [] { return true; }}), ClientGone);
  EXPECT_EQ(state(models, 0), ModelState::kLoading);
  gate.open();
  EXPECT_EQ(translated(*models.acquire("a", {}), "x"), "X");
  EXPECT_EQ(models.status()[0].loads, 1);
}

TEST_F(ModelUnloadingTest, NothingIsLostWhileModelsComeAndGo) {
  ModelRegistry models = registry({.unload_after = 1ms, .memory = 3 * kBytes});
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        const std::string name = specs_[static_cast<size_t>(t * i) % specs_.size()].name;
        if (t == 0 && i % 5 == 0) models.reload("");
        if (i % 3 == 0) std::this_thread::sleep_for(2ms);
        EXPECT_EQ(translated(*models.acquire(name, {}), "xyz"), "XYZ" + name);
        ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 180);
  EXPECT_TRUE(soon([&] { return loaded(models).empty(); }));
  EXPECT_TRUE(soon([&] {
    return std::ranges::all_of(decoders_, [](const auto& decoder) { return decoder.expired(); });
  }));
}

}  // namespace
}  // namespace dietmt::service
