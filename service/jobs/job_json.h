// Jobs as the API shows them (openapi_jobs.json).
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>

#include "service/jobs/job.h"

namespace dietmt::service {

/// `keep`: how long after its end a job is removed.
nlohmann::json job_json(const JobStatus& job, std::chrono::seconds keep);

nlohmann::json bad_lines_json(const std::vector<BadLine>& lines);

}  // namespace dietmt::service
