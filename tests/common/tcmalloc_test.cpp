// The allocator of dietmt-torch takes the place of glibc's, whose heap then stays unused.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "common/memory_use.h"

namespace dietmt {
namespace {

// Two threads of a new process return its memory at the same moment, and end.
void return_twice_at_once() {
  std::atomic<int> ready = 0;
  const auto return_with_the_other = [&] {
    ++ready;
    while (ready < 2) std::this_thread::yield();
    return_free_memory();
  };
  std::thread first(return_with_the_other), second(return_with_the_other);
  first.join();
  second.join();
}

// glibc's malloc_trim() crashes here in about one of 100 processes.
TEST(Tcmalloc, ThreadsReturnMemoryAtOnce) {
  for (int process = 0; process < 500; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      return_twice_at_once();
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "process " << process << ", signal " << WTERMSIG(status);
  }
}

TEST(Tcmalloc, FreedMemoryGoesBackToTheSystem) {
  constexpr size_t kBlock = 1 << 16;
  constexpr size_t kBlocks = 2000;
  std::vector<std::unique_ptr<char[]>> blocks;
  for (size_t i = 0; i < kBlocks; ++i) {
    blocks.push_back(std::make_unique_for_overwrite<char[]>(kBlock));
    std::memset(blocks.back().get(), 1, kBlock);
  }
  const int64_t used = resident_memory();
  blocks.clear();
  return_free_memory();
  EXPECT_LT(resident_memory(), used - static_cast<int64_t>(kBlock * kBlocks / 2));
}

}  // namespace
}  // namespace dietmt
