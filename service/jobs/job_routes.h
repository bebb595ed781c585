// The routes of batch jobs, /v1/jobs...: what openapi_jobs.json describes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/api/router.h"

namespace dietmt::service {

class JobService;

/// Whose jobs a request may see: for example the name of its API key. The same text for all where
/// no keys are in use.
using OwnerOf = std::function<std::string(const Call&)>;

/// `service` outlives the routes; an empty `owner_of` makes all jobs everybody's. Uploads are read
/// where the server has stored them; results are read from the queue as they are sent.
std::vector<Route> job_routes(JobService& service, OwnerOf owner_of = nullptr);

}  // namespace dietmt::service
