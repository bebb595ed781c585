// A thread pool that grows on demand up to a limit, with a bounded queue.
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
  /// Waits for all accepted work.
  ~HandlerThreads();
  HandlerThreads(const HandlerThreads&) = delete;
  HandlerThreads& operator=(const HandlerThreads&) = delete;

  /// False if all threads are busy and the queue is full. `work` must not throw.
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
