// Batch jobs of `dietmt serve`: their queue, what takes them in, and what translates them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "service/api/line_translation.h"
#include "service/jobs/job_queue.h"
#include "service/jobs/job_service.h"
#include "service/jobs/job_worker.h"
#include "tools/serve_options.h"

namespace dietmt::tools {

/// Translates from its construction on. `models` outlives it.
class ServeJobs {
 public:
  /// Throws Error for a directory that cannot be written or a database that cannot be used.
  ServeJobs(const ServeOptions& options, service::ModelRegistry& models);

  /// What is behind /v1/jobs.
  service::JobService& service() { return *service_; }

  /// Gives back the chunks in hand: another process, or this one when it is started again, goes on
  /// with them. Before the models are drained, which would count as failures of the chunks.
  void stop();

 private:
  service::LineTranslator translator_;
  std::unique_ptr<service::JobQueue> queue_;
  std::unique_ptr<service::JobService> service_;
  std::optional<service::JobWorker> worker_;
};

}  // namespace dietmt::tools
