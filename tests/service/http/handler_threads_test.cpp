#include "service/http/handler_threads.h"

#include <gtest/gtest.h>

#include <barrier>
#include <chrono>
#include <future>
#include <memory>

namespace dietmt::service {
namespace {

TEST(HandlerThreadsTest, GrowWhileAllAreBusy) {
  constexpr int kThreads = 8;
  std::barrier all(kThreads);
  std::atomic<int> done = 0;
  {
    HandlerThreads threads(kThreads, 0, 0);
    for (int i = 0; i < kThreads; ++i)
      ASSERT_TRUE(threads.submit([&] {
        all.arrive_and_wait();  // returns once all eight run
        ++done;
      }));
  }
  EXPECT_EQ(done, kThreads);
}

TEST(HandlerThreadsTest, RefuseWorkBeyondThreadsAndQueue) {
  std::promise<void> promise;
  const std::shared_future<void> may_end = promise.get_future().share();
  std::atomic<int> done = 0;
  const auto work = [&] {
    may_end.wait();
    ++done;
  };
  HandlerThreads threads(2, 3, 0);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(threads.submit(work)) << i;
  EXPECT_FALSE(threads.submit(work));
  promise.set_value();
  while (done < 5) std::this_thread::yield();
  while (!threads.submit(work)) std::this_thread::yield();  // after the last one is counted as done
}

TEST(HandlerThreadsTest, EndAfterAllAcceptedWork) {
  std::atomic<int> done = 0;
  for (int round = 0; round < 50; ++round) {
    HandlerThreads threads(3, 1000, 0);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(threads.submit([&] { ++done; }));
  }
  EXPECT_EQ(done, 50 * 20);
}

TEST(HandlerThreadsTest, NoWorkIsForgottenBetweenRests) {
  HandlerThreads threads(4, 4, 0);
  for (int i = 0; i < 2000; ++i) {
    const auto done = std::make_shared<std::promise<void>>();
    while (!threads.submit([done] { done->set_value(); })) std::this_thread::yield();
    ASSERT_EQ(done->get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready)
        << i;
  }
}

}  // namespace
}  // namespace dietmt::service
