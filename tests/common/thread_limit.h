// While it lives, the system can start only a few more threads: it limits the address space to a
// few more stacks.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace dietmt {

class ThreadLimit {
 public:
  ThreadLimit() {
    getrlimit(RLIMIT_AS, &before_);
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + kRoom;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~ThreadLimit() { setrlimit(RLIMIT_AS, &before_); }
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

  static constexpr bool works() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#else
    return true;
#endif
  }

 private:
  static constexpr uint64_t kRoom = 64 << 20;

  rlimit before_ = {};
};

}  // namespace dietmt
