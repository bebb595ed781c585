// The routes of batch jobs, /v1/jobs...: what openapi_jobs.json describes.
#pragma once

#include <functional>
#include <string>

namespace httplib {
class Server;
struct Request;
}  // namespace httplib

namespace dietmt::service {

class JobService;

/// Whose jobs a request may see: for example the API key, which the server has checked before. The
/// same text for all where no keys are in use.
using OwnerOf = std::function<std::string(const httplib::Request&)>;

/// `service` outlives the server. Uploads are written to disk as they arrive; results are read from
/// the queue as they are sent. Errors are `{"error": "..."}`.
void register_job_routes(httplib::Server& server, JobService& service, OwnerOf owner_of = {});

}  // namespace dietmt::service
