#include "tools/serve_jobs.h"

#include <filesystem>

#include "common/error.h"

namespace dietmt::tools {
namespace {

using service::JobOptions;

service::LineRequest line_request(const JobOptions& job) {
  return {job.model, job.source, job.target};
}

std::filesystem::path made_directory(const std::string& name) {
  if (name.empty()) return std::filesystem::temp_directory_path();
  std::error_code error;
  std::filesystem::create_directories(name, error);
  if (error) throw Error("--data " + name + ": cannot create the directory: " + error.message());
  return name;
}

}  // namespace

ServeJobs::ServeJobs(const ServeOptions& options, service::ModelRegistry& models)
    : translator_(models, options.api.limits) {
  const std::filesystem::path data = made_directory(options.data);
  queue_ = std::make_unique<service::JobQueue>(service::open_job_database(options.queue, data));
  metrics_ = std::make_unique<service::JobMetrics>(*queue_);
  service::JobServiceOptions settings;
  settings.data_directory = data;
  settings.keep = std::chrono::hours(options.keep_jobs);
  settings.quota = options.job_quota;
  service_ = std::make_unique<service::JobService>(
      *queue_, settings,
      [this](const JobOptions& job) { translator_.check(line_request(job), job.decoding); });
  if (options.job_threads == 0) return;
  worker_.emplace(
      *queue_,
      [this](const JobOptions& job, const std::vector<std::string>& lines,
             const std::function<bool()>& cancelled) {
        return translator_.translate(line_request(job), job.decoding, lines, cancelled);
      },
      service::JobWorkerOptions{.threads = options.job_threads});
}

void ServeJobs::stop() {
  if (worker_) worker_->stop();
}

}  // namespace dietmt::tools
