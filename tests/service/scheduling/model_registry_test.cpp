#include "service/scheduling/model_registry.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "common/error.h"
#include "common/process.h"
#include "service/scheduling/scheduling_errors.h"
#include "tests/common/soon.h"
#include "tests/service/fake_decoder.h"
#include "tests/service/gate.h"
#include "tests/service/scheduling/translated.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;

std::vector<ModelSpec> two_models() {
  return {{"en-de", "en", "de", "first"}, {"de-en", "de", "en", "second"}};
}

TEST(ModelRegistryTest, AModelIsLoadedOnceWhenItIsFirstUsed) {
  std::atomic<int> loads{0}, calls{0};
  Gate gate;
  ModelRegistry models(two_models(),
                       [&](const ModelSpec&) {
                         ++loads;
                         gate.wait();
                         return fake_model();
                       },
                       {});
  EXPECT_EQ(models.status()[0].state, ModelState::kNotLoaded);
  std::vector<std::jthread> users;
  for (int i = 0; i < 8; ++i)
    users.emplace_back([&] {
      ++calls;
      EXPECT_EQ(translated(*models.acquire("en-de", {}), "ab"), "AB");
    });
  EXPECT_TRUE(soon([&] { return calls == 8; }));
  gate.open();
  users.clear();
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(models.status()[0].state, ModelState::kReady);
  EXPECT_EQ(models.status()[0].max_source_length, 200);
  EXPECT_EQ(models.status()[1].state, ModelState::kNotLoaded);
  models.preload();
  EXPECT_EQ(loads, 2);
  EXPECT_THROW(models.acquire("en-fr", {}), RequestError);
}

// Records the nice value of the thread that runs it, and decodes nothing.
class NicenessDecoder final : public nmt::SentenceDecoder {
 public:
  explicit NicenessDecoder(std::promise<int>& seen) : seen_(seen) {}
  int64_t max_source_length() const override { return 1; }
  int64_t max_target_length() const override { return 1; }
  void run(nmt::SentenceFeed&, int64_t, int64_t, int64_t) const override {
    seen_.set_value(::getpriority(PRIO_PROCESS, 0));  // of this thread
  }

 private:
  std::promise<int>& seen_;
};

TEST(ModelRegistryTest, DecodersGiveWayAlikeWhicheverThreadLoadsTheModel) {
  std::promise<int> first, second;
  ModelRegistry models(
      two_models(),
      [&](const ModelSpec& spec) {
        nmt::LoadedDecoder model = fake_model();
        model.decoder = std::make_shared<NicenessDecoder>(spec.name == "en-de" ? first : second);
        return model;
      },
      {.threads = {.niceness = 3}});
  const int given = std::min(::getpriority(PRIO_PROCESS, 0) + 3, 19);
  models.acquire("en-de", {});
  EXPECT_EQ(first.get_future().get(), given);
  std::thread([&] {
    give_way(3);  // as handlers do
    models.acquire("de-en", {});
  }).join();
  EXPECT_EQ(second.get_future().get(), given);
}

TEST(ModelRegistryTest, AFailedLoadIsToldAndTriedAgainLater) {
  std::atomic<int> attempts{0};
  ModelRegistry models(two_models(),
                       [&](const ModelSpec& spec) -> nmt::LoadedDecoder {
                         if (++attempts < 2) throw Error(spec.directory.string() + ": no weights");
                         return fake_model();
                       },
                       {.retry_load = 1s});
  EXPECT_THROW(models.acquire("en-de", {}), Unavailable);
  EXPECT_EQ(models.status()[0].state, ModelState::kFailed);
  EXPECT_EQ(models.status()[0].error, "first: no weights");
  try {
    models.acquire("en-de", {});
    FAIL() << "tried again at once";
  } catch (const Unavailable& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot be loaded"));
    EXPECT_EQ(error.retry_after(), 1);
  }
  EXPECT_EQ(attempts, 1);
  std::this_thread::sleep_for(1050ms);
  EXPECT_EQ(translated(*models.acquire("en-de", {}), "a"), "A");
  EXPECT_EQ(models.status()[0].error, "");
}

TEST(ModelRegistryTest, WaitingForALoadEndsAtTheDeadline) {
  Gate gate;
  ModelRegistry models(two_models(),
                       [&](const ModelSpec&) {
                         gate.wait();
                         return fake_model();
                       },
                       {});
  std::jthread loader([&] { models.acquire("en-de", {}); });
  gate.await(1);
  EXPECT_THROW(models.acquire("en-de", {.deadline = std::chrono::steady_clock::now() + 20ms}),
               DeadlineExceeded);
  gate.open();
}

TEST(ModelRegistryTest, AReloadUnderLoadDropsNothing) {
  std::atomic<int> loads{0};
  ModelRegistry models(two_models(),
                       [&](const ModelSpec&) { return fake_model(50us, std::to_string(++loads)); },
                       {});
  models.acquire("en-de", {});
  std::atomic<bool> stop{false};
  std::atomic<int> done{0}, wrong{0};
  std::vector<std::jthread> users;
  for (int i = 0; i < 6; ++i) {
    users.emplace_back([&] {
      while (!stop) {
        const std::string text = translated(*models.acquire("en-de", {}), "abc");
        if (text.substr(0, 3) != "ABC" || text.size() != 4) ++wrong;
        ++done;
      }
    });
  }
  for (int i = 0; i < 5; ++i) {
    const int before = done;
    EXPECT_TRUE(soon([&] { return done > before + 5; }));
    models.reload("");
  }
  EXPECT_EQ(translated(*models.acquire("en-de", {}), "abc"), "ABC6");
  stop = true;
  users.clear();
  EXPECT_GT(done, 20);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(loads, 6);  // the other model was not in use
}

TEST(ModelRegistryTest, WhatAnOldModelHasBegunItEnds) {
  std::atomic<int> loads{0};
  Gate gate;
  ModelRegistry models(two_models(),
                       [&](const ModelSpec&) {
                         const int load = ++loads;
                         return fake_model({}, std::to_string(load), load == 1 ? &gate : nullptr);
                       },
                       {});
  const auto old = models.acquire("en-de", {});
  auto running = std::async(std::launch::async, [&] { return translated(*old, "abcdefghij"); });
  gate.await(1);
  models.reload("en-de");
  EXPECT_EQ(running.wait_for(0s), std::future_status::timeout);
  EXPECT_EQ(translated(*models.acquire("en-de", {}), "a"), "A2");
  gate.open();
  EXPECT_EQ(running.get(), "ABCDEFGHIJ1");
}

TEST(ModelRegistryTest, OnlyTheNamedModelIsReloaded) {
  ModelRegistry models(two_models(), [](const ModelSpec&) { return fake_model(); }, {});
  models.acquire("de-en", {});
  models.reload("en-de");
  EXPECT_EQ(models.status()[0].loads, 0) << "it was not loaded";
  EXPECT_EQ(models.status()[1].loads, 1);
  models.reload("de-en");
  EXPECT_EQ(models.status()[1].loads, 2);
}

TEST(ModelRegistryTest, AfterAFailedReloadTheOldWeightsServe) {
  std::atomic<int> loads{0};
  ModelRegistry models(two_models(),
                       [&](const ModelSpec&) -> nmt::LoadedDecoder {
                         if (++loads == 2) throw Error("half a file");
                         return fake_model({}, std::to_string(loads));
                       },
                       {});
  models.acquire("en-de", {});
  EXPECT_THROW(models.reload("en-de"), Unavailable);
  EXPECT_EQ(translated(*models.acquire("en-de", {}), "a"), "A1");
  EXPECT_EQ(models.status()[0].error, "half a file");
  models.reload("en-de");
  EXPECT_EQ(translated(*models.acquire("en-de", {}), "a"), "A3");
  EXPECT_EQ(models.status()[0].loads, 2);
}

TEST(ModelRegistryTest, ADecoderThatStoppedIsReplaced) {
  ModelRegistry models(two_models(), [](const ModelSpec&) { return fake_model(); }, {});
  const std::string crash = text_of(std::vector<int32_t>{FakeDecoder::kCrash});
  const auto crashed = models.acquire("en-de", {});
  EXPECT_THROW(translated(*crashed, crash), std::runtime_error);
  EXPECT_TRUE(soon([&] { return !crashed->decoding(); }));
  EXPECT_EQ(translated(*models.acquire("en-de", {}), "a"), "A");
}

TEST(ModelRegistryTest, WhileDrainingNothingNewBegins) {
  ModelRegistry models(two_models(), [](const ModelSpec&) { return fake_model(); }, {});
  const auto held = models.acquire("en-de", {});
  models.drain();
  EXPECT_THROW(models.acquire("en-de", {}), Unavailable);
  EXPECT_EQ(translated(*held, "a"), "A");
}

}  // namespace
}  // namespace dietmt::service
