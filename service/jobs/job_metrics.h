// The queue of batch jobs for /metrics.
#pragma once

#include <prometheus/metric_family.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "service/jobs/job_queue.h"
#include "service/jobs/stop_flag.h"

namespace dietmt::service {

/// What the queue holds now. Throws the exceptions of SqlDatabase.
std::vector<prometheus::MetricFamily> job_families(JobQueue& queue);

/// Looks at the queue from time to time, so that /metrics never waits for the database.
class JobMetrics {
 public:
  /// `queue` outlives them.
  explicit JobMetrics(JobQueue& queue,
                      std::chrono::milliseconds interval = std::chrono::seconds(5));
  ~JobMetrics();
  JobMetrics(const JobMetrics&) = delete;
  JobMetrics& operator=(const JobMetrics&) = delete;

  /// As it was last seen; dietmt_job_queue_up says whether that is the present.
  std::vector<prometheus::MetricFamily> families() const;

 private:
  void look();

  JobQueue& queue_;
  const std::chrono::milliseconds interval_;
  mutable std::mutex mutex_;
  std::vector<prometheus::MetricFamily> families_;
  bool up_ = false;
  StopFlag stop_;
  std::thread thread_;
};

}  // namespace dietmt::service
