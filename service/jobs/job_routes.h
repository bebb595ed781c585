// The routes of batch jobs, /v1/jobs..., described in openapi_jobs.json.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/api/router.h"

namespace dietmt::service {

class JobService;
struct JobStatus;

/// Returns the owner of the jobs that a request may see, such as the name of its API key; the same
/// text for all requests if keys are not in use.
using OwnerOf = std::function<std::string(const Call&)>;

/// `service` must outlive the routes. Without `owner_of` every client may see all jobs. Uploads are
/// read from where the server has stored them; results are read from the queue while they are sent.
std::vector<Route> job_routes(JobService& service, OwnerOf owner_of = nullptr);

/// Turns the exceptions of jobs into HttpErrors.
Handler with_job_errors(Handler handle);

/// The result of a job. Throws what JobService::output() throws.
Answer job_result(JobService& service, const Call& call, const JobStatus& job, bool partial);

}  // namespace dietmt::service
