#include "service/jobs/job_json.h"

#include <ctime>

namespace dietmt::service {
namespace {

constexpr int64_t kSecond = 1'000'000;

// RFC 3339, in UTC.
nlohmann::json time_json(std::optional<int64_t> microseconds) {
  if (!microseconds) return nullptr;
  const std::time_t seconds = *microseconds / kSecond;
  std::tm fields = {};
  gmtime_r(&seconds, &fields);
  char text[sizeof "2000-01-01T00:00:00Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text;
}

// Lines per second, 0 where there is none yet.
double rate_of(const JobStatus& job) {
  if (!job.started || job.lines_done == 0) return 0;
  const int64_t time = job.finished.value_or(job.asked) - *job.started;
  return static_cast<double>(job.lines_done) * kSecond /
         static_cast<double>(std::max<int64_t>(time, 1));
}

nlohmann::json if_positive(double value) {
  return value > 0 ? nlohmann::json(value) : nlohmann::json(nullptr);
}

}  // namespace

nlohmann::json job_json(const JobStatus& job, std::chrono::seconds keep) {
  nlohmann::json shown = job.options.to_json();
  const double rate = rate_of(job);
  const auto left = static_cast<double>(job.lines - job.lines_done);
  std::optional<int64_t> expires = job.finished;
  if (expires) *expires += keep.count() * kSecond;
  shown.update(
      {{"id", job.id},
       {"state", name_of(job.state)},
       {"lines", job.lines},
       {"lines_done", job.lines_done},
       {"bad_lines", job.bad_lines},
       {"lines_per_second", if_positive(rate)},
       {"seconds_left", if_positive(job.state == JobState::kRunning && rate > 0 ? left / rate : 0)},
       {"created", time_json(job.created)},
       {"started", time_json(job.started)},
       {"finished", time_json(job.finished)},
       {"expires", time_json(expires)},
       {"error", nullptr}});
  if (!job.error.empty()) shown["error"] = job.error;
  return shown;
}

nlohmann::json bad_lines_json(const std::vector<BadLine>& lines) {
  nlohmann::json shown = nlohmann::json::array();
  for (const BadLine& line : lines) shown.push_back({{"line", line.line}, {"reason", line.reason}});
  return shown;
}

}  // namespace dietmt::service
