// Batch jobs of `dietmt serve`: the queue, the upload service and the worker.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "service/api/line_translation.h"
#include "service/jobs/job_metrics.h"
#include "service/jobs/job_queue.h"
#include "service/jobs/job_service.h"
#include "service/jobs/job_worker.h"
#include "tools/serve_options.h"

namespace dietmt::tools {

/// Translates until stop(). `models` must outlive it.
class ServeJobs {
 public:
  /// Throws Error for a directory that cannot be written or a database that cannot be used.
  ServeJobs(const ServeOptions& options, service::ModelRegistry& models);

  /// What is behind /v1/jobs.
  service::JobService& service() { return *service_; }

  /// For /metrics.
  std::vector<prometheus::MetricFamily> metrics() const { return metrics_->families(); }

  /// Returns the chunks in progress to the queue for another process, or a restart of this one.
  /// Call it before the models are drained, which would count as failures of the chunks.
  void stop();

 private:
  service::LineTranslator translator_;
  std::unique_ptr<service::JobQueue> queue_;
  std::unique_ptr<service::JobMetrics> metrics_;
  std::unique_ptr<service::JobService> service_;
  std::optional<service::JobWorker> worker_;
};

}  // namespace dietmt::tools
