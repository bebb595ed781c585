#include "data/corpus/epoch_batches.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

namespace dietmt::data {
namespace {

TEST(PrefetcherTest, ItemsComeInOrder) {
  int produced = 0;
  Prefetcher<std::unique_ptr<int>> numbers(3, [&] { return std::make_unique<int>(produced++); });
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(*numbers.next(), i);
}

TEST(PrefetcherTest, StaysAFewItemsAheadAndNoMore) {
  std::atomic<int> produced = 0;
  Prefetcher<int> numbers(3, [&] { return produced++; });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  // Three wait in the queue, and the thread holds one.
  while (produced < 4 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(produced, 4);
}

TEST(PrefetcherTest, AnExceptionComesOutOfNextAfterTheItemsBeforeIt) {
  int produced = 0;
  Prefetcher<int> numbers(8, [&]() -> int {
    if (produced == 2) throw std::runtime_error("no more");
    return produced++;
  });
  EXPECT_EQ(numbers.next(), 0);
  EXPECT_EQ(numbers.next(), 1);
  EXPECT_THROW(numbers.next(), std::runtime_error);
  EXPECT_THROW(numbers.next(), std::runtime_error);
}

}  // namespace
}  // namespace dietmt::data
