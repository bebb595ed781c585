// Threads that take chunks of batch jobs from the queue, translate them and store what they have
// become. Any number of workers, in any number of processes, share a queue.
#pragma once

#include <chrono>
#include <memory>

#include "service/jobs/chunk_translation.h"
#include "service/jobs/job_queue.h"

namespace dietmt::service {

struct JobWorkerOptions {
  int64_t threads = 2;  // chunks at a time: one is read while another is decoded
  std::chrono::milliseconds lease{30'000};  // after which a worker that vanished is given up
  std::chrono::milliseconds poll{500};      // between looks for work, and for cancelled jobs
};

/// Works from its construction until stop(). Whatever the database does, it goes on: while there is
/// no connection it waits, and a finished chunk is kept until it can be stored.
class JobWorker {
 public:
  JobWorker(JobQueue& queue, TranslateLines translate, JobWorkerOptions options = {});
  /// Stops.
  ~JobWorker();

  /// Stores the chunks that are translated, gives the others back and waits for the threads.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dietmt::service
