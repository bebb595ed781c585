// A few threads that split the work of one decoding worker. They wait in a spinning barrier, for
// the parts of a step last microseconds, and sleep between batches of work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace dietmt::nmt {

class ThreadTeam {
 public:
  /// The caller is one of the `threads`.
  explicit ThreadTeam(int64_t threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int64_t size() const { return static_cast<int64_t>(helpers_.size()) + 1; }

  /// Calls work(t) for t = 0 .. size() - 1, each on its own thread, and returns when all have.
  /// `work` throws nothing.
  template <typename Work>
  void run(const Work& work) {
    if (helpers_.empty()) return work(int64_t{0});
    start({[](const void* object, int64_t t) { (*static_cast<const Work*>(object))(t); }, &work});
    work(int64_t{0});
    finish();
  }

  /// Item numbers first .. last - 1 of `count`, in units of `unit`, of thread `t`.
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
  void finish() const;
  void help(int64_t t);
  bool wait_for(uint64_t round);

  std::vector<std::thread> helpers_;
  Call call_;
  std::atomic<uint64_t> round_ = 0;
  std::atomic<int64_t> working_ = 0;
  std::atomic<int64_t> sleeping_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable woken_;
};

}  // namespace dietmt::nmt
