// The API's view of a job: settings in, JSON out (openapi_jobs.json).
#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "service/jobs/job.h"

namespace dietmt::service {

/// The settings of POST /v1/jobs by name, from the query or the parts of a form.
using JobSettings = std::map<std::string, std::string>;

/// Throws RequestError for an unknown setting or an invalid value.
JobOptions job_options_of(const JobSettings& settings);

/// `keep`: how long the server keeps a job that has ended.
nlohmann::json job_json(const JobStatus& job, std::chrono::seconds keep);

nlohmann::json bad_lines_json(const std::vector<BadLine>& lines);

}  // namespace dietmt::service
