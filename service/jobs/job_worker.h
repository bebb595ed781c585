// Threads that take chunks of batch jobs from the queue, translate them and store the results. Any
// number of workers in any number of processes can share a queue.
#pragma once

#include <chrono>
#include <memory>

#include "service/jobs/chunk_translation.h"
#include "service/jobs/job_queue.h"

namespace dietmt::service {

struct JobWorkerOptions {
  int64_t threads = 2;  // chunks at once: one is prepared while another is decoded; and one more
                        // if it is small and its client has no other (Take::kSmall)
  std::chrono::milliseconds lease{30'000};  // after which a vanished worker loses its chunk
  std::chrono::milliseconds poll{500};      // interval of checks for work and for cancelled jobs
};

/// Works from its construction until request_stop(). Survives database failures: without a
/// connection it waits, and it keeps a finished chunk until it can store it. A job whose model is
/// Unavailable here waits, or other workers continue with it.
class JobWorker {
 public:
  /// Throws Error if the system cannot start all threads.
  JobWorker(JobQueue& queue, TranslateLines translate, JobWorkerOptions options = {});
  /// Stops, and waits for the threads.
  ~JobWorker();

  /// Looks for work now, not only at the next poll.
  void wake();

  /// From now on the threads take no chunk. They store translated chunks, return the others and
  /// end.
  void request_stop();

  /// True once the threads have ended. One that prepares a chunk notices the stop only afterwards.
  bool has_ended() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dietmt::service
