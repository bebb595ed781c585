#include "service/jobs/job_metrics.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "service/api/metrics.h"

namespace dietmt::service {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily gauge(const char* name, const char* help, double value) {
  return single_metric(name, help, MetricType::Gauge, value);
}

// One value per state, including states without jobs.
MetricFamily jobs_by_state(SqlDatabase& database) {
  MetricFamily family{"dietmt_jobs", "Batch jobs, by state.", MetricType::Gauge, {}};
  for (const char* state : {"uploading", "queued", "running", "done", "failed", "cancelled"}) {
    prometheus::ClientMetric& metric = family.metric.emplace_back();
    metric.label = {{"state", state}};
    metric.gauge.value = static_cast<double>(
        database.execute("SELECT COUNT(*) FROM dietmt_jobs WHERE state = $1", {state})
            .rows.at(0)
            .integer(0));
  }
  return family;
}

}  // namespace

std::vector<MetricFamily> job_families(JobQueue& queue) {
  SqlDatabase& database = queue.database();
  const SqlResult waiting = database.execute(
      "SELECT COALESCE(SUM(lines - lines_done), 0), COALESCE(dietmt_now() - MIN(created), 0) "
      "FROM dietmt_jobs WHERE state IN ('queued', 'running')");
  // The chunks of a cancelled job keep their leases, which nobody renews.
  const SqlResult leased = database.execute(
      "SELECT COUNT(*) FROM dietmt_chunks "
      "WHERE done = 0 AND lease IS NOT NULL AND free_from > dietmt_now()");
  const SqlRow& sums = waiting.rows.at(0);
  return {jobs_by_state(database),
          gauge("dietmt_job_lines_waiting", "Untranslated lines of queued and running jobs.",
                static_cast<double>(sums.integer(0))),
          gauge("dietmt_job_oldest_seconds", "Age of the oldest queued or running job.",
                static_cast<double>(sums.integer(1)) / 1e6),
          gauge("dietmt_job_chunks_leased", "Chunks of jobs that workers translate now.",
                static_cast<double>(leased.rows.at(0).integer(0)))};
}

JobMetrics::JobMetrics(JobQueue& queue, std::chrono::milliseconds interval)
    : queue_(queue), interval_(interval), thread_([this] { look(); }) {}

JobMetrics::~JobMetrics() {
  stop_.set();
  thread_.join();
}

std::vector<MetricFamily> JobMetrics::families() const {
  const std::lock_guard lock(mutex_);
  std::vector<MetricFamily> all = families_;
  all.push_back(gauge("dietmt_job_queue_up", "1 if the database of the jobs answers, else 0.",
                      up_ ? 1.0 : 0.0));
  return all;
}

void JobMetrics::look() {
  for (; !stop_.is_set(); stop_.wait(interval_)) {
    try {
      std::vector<MetricFamily> seen = job_families(queue_);
      const std::lock_guard lock(mutex_);
      families_ = std::move(seen);
      up_ = true;
    } catch (const std::exception& error) {
      spdlog::debug("batch jobs: no metrics: {}", error.what());
      const std::lock_guard lock(mutex_);
      up_ = false;
    }
  }
}

}  // namespace dietmt::service
