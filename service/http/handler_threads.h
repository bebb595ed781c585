#pragma once

#include <semaphore.h>

#include <atomic>
#include <boost/lockfree/queue.hpp>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace dietmt::service {

/// A thread pool that grows on demand, with a bounded queue. submit() takes no lock and starts no
/// thread: its caller, the event loop, must not wait for a thread that was interrupted while
/// holding a lock and queues for a core with hundreds of others.
class HandlerThreads {
 public:
  /// `niceness`: of the threads, for give_way().
  HandlerThreads(int64_t max_threads, int64_t max_backlog, int niceness);
  /// Waits for all accepted work.
  ~HandlerThreads();
  HandlerThreads(const HandlerThreads&) = delete;
  HandlerThreads& operator=(const HandlerThreads&) = delete;

  /// False if as much work is accepted and not done as threads and queue may hold. `work` must not
  /// throw.
  bool submit(std::function<void()> work);

 private:
  using Work = std::function<void()>;

  class Semaphore {
   public:
    Semaphore() { ::sem_init(&semaphore_, 0, 0); }
    ~Semaphore() { ::sem_destroy(&semaphore_); }
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;
    void release() { ::sem_post(&semaphore_); }
    void acquire();

   private:
    sem_t semaphore_;
  };

  void run();
  void start_threads();
  bool start_thread();

  const int64_t max_threads_;
  const int64_t max_accepted_;
  const int niceness_;
  std::atomic<int64_t> accepted_ = 0;  // and not done
  std::atomic<int64_t> free_ = 0;      // threads without work, less the work that is queued
  std::atomic<bool> ending_ = false;
  boost::lockfree::queue<Work*> queue_;
  Semaphore queued_;         // for the threads
  Semaphore thread_wanted_;  // for the starter
  std::vector<std::thread> threads_;
  std::thread starter_;
};

}  // namespace dietmt::service
