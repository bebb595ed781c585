// Work split among threads: exceptions, and a system that cannot start more threads.
#include "nmt/engine/thread_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "common/error.h"
#include "tests/common/thread_limit.h"

namespace dietmt::nmt {
namespace {

TEST(ThreadTeam, CallsEachThreadOnceARound) {
  ThreadTeam team(4);
  EXPECT_EQ(team.size(), 4);
  std::vector<int> calls(4);
  for (int round = 0; round < 100; ++round)
    team.run([&](int64_t t) { ++calls[static_cast<size_t>(t)]; });
  EXPECT_THAT(calls, testing::Each(100));
}

TEST(ThreadTeam, PassesOnAnExceptionOfAnyThread) {
  ThreadTeam team(3);
  for (int64_t failing = 0; failing < 3; ++failing) {
    std::atomic<int> ended = 0;
    const auto work = [&](int64_t t) {
      if (t == failing) throw DataError("thread " + std::to_string(t));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++ended;
    };
    try {
      team.run(work);
      ADD_FAILURE() << "no exception of thread " << failing;
    } catch (const DataError& error) {
      EXPECT_EQ(error.what(), "thread " + std::to_string(failing));
    }
    EXPECT_EQ(ended, 2) << "run() returned before the other threads were done";
  }
  EXPECT_THROW(team.run([](int64_t) { throw std::bad_alloc(); }), std::bad_alloc);
  std::atomic<int> calls = 0;
  team.run([&](int64_t) { ++calls; });
  EXPECT_EQ(calls, 3) << "the team cannot be used after an exception";
}

TEST(ThreadTeam, SaysHowManyThreadsTheSystemCouldStart) {
  if (!ThreadLimit::works()) GTEST_SKIP() << "sanitizers reserve the whole address space";
  const ThreadLimit few;
  try {
    const ThreadTeam team(1000);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(" of 1000 threads ("));
    EXPECT_THAT(error.what(), testing::HasSubstr("lower --workers or --threads"));
  }
}

}  // namespace
}  // namespace dietmt::nmt
