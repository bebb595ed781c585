#pragma once

#include <atomic>
#include <boost/lockfree/queue.hpp>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "common/system.h"

namespace dietmt::service {

/// A thread pool that grows on demand, with a bounded queue. submit() takes no lock and starts no
/// thread: the event loop calls it and must never wait for a preempted lock holder while hundreds
/// of threads compete for the cores.
class HandlerThreads {
 public:
  /// Threads call give_way(niceness).
  HandlerThreads(int64_t max_threads, int64_t max_backlog, int niceness);
  /// Finishes all accepted work.
  ~HandlerThreads();
  HandlerThreads(const HandlerThreads&) = delete;
  HandlerThreads& operator=(const HandlerThreads&) = delete;

  /// False if all threads are busy and the queue is full. `work` must not throw.
  bool submit(std::function<void()> work);

 private:
  using Work = std::function<void()>;

  void run();
  void start_threads();
  bool start_thread();

  const int64_t max_threads_;
  const int64_t max_accepted_;
  const int niceness_;
  std::atomic<int64_t> accepted_ = 0;  // running or queued
  std::atomic<int64_t> free_ = 0;      // idle threads minus queued work
  std::atomic<bool> ending_ = false;
  boost::lockfree::queue<Work*> queue_;
  Semaphore queued_;         // for the threads
  Semaphore thread_wanted_;  // for the starter
  std::vector<std::thread> threads_;
  std::thread starter_;
};

}  // namespace dietmt::service
