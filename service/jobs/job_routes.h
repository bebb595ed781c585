// The routes of batch jobs, /v1/jobs...: what openapi_jobs.json describes.
#pragma once

#include <functional>
#include <string>

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace dietmt::service {

class JobService;

/// Whose jobs a request may see: for example the API key, which the server has checked before. The
/// same text for all where no keys are in use.
using OwnerOf = std::function<std::string(const httplib::Request&)>;

/// Calls `answer`, which fills the response and does not throw, and measures it as a request to
/// `endpoint`: the path as openapi_jobs.json has it.
using MeasureAnswer = std::function<void(const std::string& endpoint, const httplib::Response&,
                                         const std::function<void()>& answer)>;

struct JobRouteHooks {
  OwnerOf owner_of = nullptr;       // may be empty: all jobs are everybody's
  MeasureAnswer measure = nullptr;  // may be empty
};

/// `service` outlives the server. Uploads are written to disk as they arrive; results are read from
/// the queue as they are sent. Errors are `{"error": "..."}`.
void register_job_routes(httplib::Server& server, JobService& service, JobRouteHooks hooks = {});

}  // namespace dietmt::service
