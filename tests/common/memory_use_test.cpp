#include "common/memory_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "tests/common/scratch.h"

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
  const int64_t before = resident_memory();
  void* const held = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, kPlain, -1, 0);
  ASSERT_NE(held, MAP_FAILED);
  EXPECT_GE(resident_memory(), kBytes);
  ::munmap(held, kBytes);
  EXPECT_GE(peak_memory(), kBytes);
  EXPECT_LT(resident_memory(), before + kBytes);
  reset_peak_memory();
  EXPECT_LT(peak_memory(), before + kBytes);
}

class ControlGroups : public ScratchTest {
 protected:
  // The bytes that a process with these lines in /proc/self/cgroup may allocate.
  int64_t available(const std::string& membership) {
    return available_in_groups(write("membership", membership), scratch());
  }

  void add(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((scratch() / file).parent_path());
    write(file, text);
  }
};

TEST_F(ControlGroups, TheLeastOfVersion1) {
  const std::string membership = "5:cpu,cpuacct:/jobs/7\n4:hugetlb,memory:/jobs/7\n0::/\n";
  add("memory/memory.limit_in_bytes", "9223372036854771712\n");
  add("memory/memory.usage_in_bytes", "100\n");
  EXPECT_EQ(available(membership), 9223372036854771612);
  add("memory/jobs/memory.limit_in_bytes", "5000\n");
  add("memory/jobs/memory.usage_in_bytes", "1000\n");
  EXPECT_EQ(available(membership), 4000);
  add("memory/jobs/7/memory.limit_in_bytes", "700\n");
  add("memory/jobs/7/memory.usage_in_bytes", "600\n");
  EXPECT_EQ(available(membership), 100);
  add("memory/jobs/7/memory.stat", "cache 9\ntotal_inactive_file 30\ntotal_active_file 5\n");
  EXPECT_EQ(available(membership), 135);
}

TEST_F(ControlGroups, TheLeastOfVersion2) {
  add("jobs/memory.max", "5000\n");
  add("jobs/memory.current", "1000\n");
  add("jobs/7/memory.max", "max\n");
  add("jobs/7/memory.current", "600\n");
  add("jobs/memory.stat", "inactive_file 30\nactive_file 5\n");
  EXPECT_EQ(available("0::/jobs/7\n"), 4035);
  EXPECT_EQ(available("0::/\n"), std::numeric_limits<int64_t>::max());
}

/// Leaves a gigabyte of address space. Returns an exit code.
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
