// Threads that split one piece of work after another with their caller. Between two pieces they
// spin for a few microseconds, as long as most pauses within a decoding step last, and then sleep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dietmt::nmt {

class ThreadTeam {
 public:
  /// The caller is one of the `threads`. Throws Error if the system cannot start all others.
  explicit ThreadTeam(int64_t threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int64_t size() const { return static_cast<int64_t>(helpers_.size()) + 1; }

  /// Calls work(t) for t = 0 .. size() - 1, each on its own thread, and returns when all calls have
  /// ended. If some have thrown, it rethrows one of their exceptions. Helpers run OpenMP loops on
  /// one thread.
  template <typename Work>
  void run(const Work& work) {
    if (helpers_.empty()) return work(int64_t{0});
    start({[](const void* object, int64_t t) { (*static_cast<const Work*>(object))(t); }, &work});
    try {
      work(int64_t{0});
    } catch (...) {
      keep_failure();
    }
    finish();
  }

  /// The items first .. last - 1 of `count` that thread `t` works on; a share starts at a multiple
  /// of `unit`.
  struct Range {
    int64_t first, last;
  };
  Range share(int64_t count, int64_t unit, int64_t t) const;

 private:
  struct Call {
    void (*function)(const void*, int64_t) = nullptr;
    const void* object = nullptr;
  };

  void start(Call call);
  void finish();
  void stop();
  void keep_failure();
  void help(int64_t t);
  bool wait_for(uint64_t round);

  std::vector<std::thread> helpers_;
  Call call_;
  std::atomic<uint64_t> round_ = 0;
  std::atomic<int64_t> working_ = 0;
  std::atomic<int64_t> sleeping_ = 0;  // helpers
  std::atomic<bool> caller_sleeps_ = false;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable woken_, finished_;
  std::exception_ptr failure_;  // of this round, under mutex_
};

}  // namespace dietmt::nmt
