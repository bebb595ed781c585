#include "common/memory_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace dietmt {
namespace {

TEST(MemoryUse, AModestNeedIsNoProblem) { EXPECT_EQ(memory_problem("--width 8", 1e6), ""); }

TEST(MemoryUse, NamesWhatDoesNotFit) {
  EXPECT_THAT(memory_problem("--width 65536", 1e15),
              testing::StartsWith("--width 65536: needs about 1000000.0 GB of memory, but only "));
}

TEST(MemoryUse, WhatWasFreedIsInThePeakOnly) {
  constexpr int64_t kBytes = 200 << 20;
  constexpr int kPlain = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
  void* const held = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, kPlain, -1, 0);
  ASSERT_NE(held, MAP_FAILED);
  EXPECT_GE(resident_memory(), kBytes);
  ::munmap(held, kBytes);
  EXPECT_GE(peak_memory(), kBytes);
  EXPECT_LT(resident_memory(), kBytes);
  reset_peak_memory();
  EXPECT_LT(peak_memory(), kBytes);
}

/// Leaves a gigabyte of addresses. Returns an exit code.
int ask_in_a_gigabyte() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (1 << 30);
  const rlimit addresses{limit, limit};
  if (::setrlimit(RLIMIT_AS, &addresses) != 0) return 1;
  if (!memory_problem("--width 8", 1e8).empty()) return 2;
  return memory_problem("--width 800", 1e10).empty() ? 3 : 0;
}

TEST(MemoryUse, ALimitOnAddressesIsALimitOnMemory) {
  const pid_t child = fork();
  if (child == 0) _exit(ask_in_a_gigabyte());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace dietmt
