#include "common/interruption.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace dietmt {
namespace {

// Work that checks until it is ended, at most for a minute.
void work() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < end) check_interruption();
}

void fail() { throw std::runtime_error("time is up"); }

TEST(InterruptionTest, EndsTheWorkOfItsThread) {
  const Interruption interruption(fail);
  EXPECT_THROW(work(), std::runtime_error);
  EXPECT_THROW(work(), std::runtime_error);
  std::thread([] {
    for (int i = 0; i < 1000; ++i) EXPECT_NO_THROW(check_interruption());
  }).join();
}

TEST(InterruptionTest, EndsWithItsScope) {
  int checks = 0;
  const Interruption outer([&] {
    if (++checks > 1) fail();
  });
  {
    const Interruption inner(fail);
    EXPECT_THROW(work(), std::runtime_error);
    EXPECT_EQ(checks, 0);
  }
  EXPECT_THROW(work(), std::runtime_error);
  EXPECT_EQ(checks, 2);
}

TEST(InterruptionTest, CallbacksAskWhetherToEnd) {
  EXPECT_FALSE(is_interrupted());
  const Interruption interruption(fail);
  int asked = 0;
  while (!is_interrupted()) ASSERT_LT(++asked, 1000);
  EXPECT_THROW(work(), std::runtime_error);
}

}  // namespace
}  // namespace dietmt
