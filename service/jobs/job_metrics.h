// Metrics of the job queue for /metrics.
#pragma once

#include <prometheus/metric_family.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "service/jobs/job_queue.h"
#include "service/jobs/stop_flag.h"

namespace dietmt::service {

/// The current content of the queue. Throws the exceptions of SqlDatabase.
std::vector<prometheus::MetricFamily> job_families(JobQueue& queue);

/// Polls the queue in the background, so that /metrics never waits for the database.
class JobMetrics {
 public:
  /// `queue` must outlive this.
  explicit JobMetrics(JobQueue& queue,
                      std::chrono::milliseconds interval = std::chrono::seconds(5));
  ~JobMetrics();
  JobMetrics(const JobMetrics&) = delete;
  JobMetrics& operator=(const JobMetrics&) = delete;

  /// As last seen; dietmt_job_queue_up says whether that is current.
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
