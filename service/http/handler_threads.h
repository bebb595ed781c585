// Threads that are made when work is waiting, up to a limit, and a bounded queue before them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dietmt::service {

class HandlerThreads {
 public:
  HandlerThreads(int64_t max_threads, int64_t max_backlog)
      : max_threads_(max_threads), max_backlog_(max_backlog) {}
  /// Waits for all work that was taken.
  ~HandlerThreads();
  HandlerThreads(const HandlerThreads&) = delete;
  HandlerThreads& operator=(const HandlerThreads&) = delete;

  /// False if all threads are at work and the queue is full. `work` does not throw.
  bool submit(std::function<void()> work);

 private:
  void run();
  bool add_thread();

  const int64_t max_threads_;
  const int64_t max_backlog_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> queue_;
  std::vector<std::thread> threads_;
  int64_t busy_ = 0;
  bool ending_ = false;
};

}  // namespace dietmt::service
