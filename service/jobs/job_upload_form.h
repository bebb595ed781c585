// What POST /v1/jobs is sent: a file, and settings as text.
#pragma once

#include <map>
#include <string>

#include "service/jobs/job.h"

namespace dietmt::service {

/// Settings by name, as they stand in a query or in the parts of a form.
using JobSettings = std::map<std::string, std::string>;

/// Throws RequestError for a setting that does not exist or has a wrong value.
JobOptions job_options_of(const JobSettings& settings);

}  // namespace dietmt::service
