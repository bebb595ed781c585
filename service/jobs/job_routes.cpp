#include "service/jobs/job_routes.h"

#include <httplib.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <memory>

#include "service/jobs/job_api.h"
#include "service/jobs/job_service.h"
#include "service/jobs/job_upload_receiver.h"

namespace dietmt::service {
namespace {

using httplib::Request;
using httplib::Response;

constexpr int64_t kShownBadLines = 100;
constexpr int64_t kMaxPage = 100;

void answer(Response& response, int status, const nlohmann::json& content) {
  response.status = status;
  response.set_content(
      content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n",
      "application/json");
}

void answer_error(Response& response, int status, const std::string& text) {
  answer(response, status, {{"error", text}});
}

// The error that is being handled.
void answer_error(Response& response) {
  try {
    throw;
  } catch (const NoSuchJobError& error) {
    answer_error(response, 404, error.what());
  } catch (const JobStateError& error) {
    answer_error(response, 409, error.what());
  } catch (const FileTooLargeError& error) {
    answer_error(response, 413, error.what());
  } catch (const JobQuotaError& error) {
    answer_error(response, 429, error.what());
  } catch (const RequestError& error) {
    answer_error(response, 400, error.what());
  } catch (const ConfigError& error) {
    answer_error(response, 400, error.what());
  } catch (const DataError& error) {
    answer_error(response, 400, error.what());
  } catch (const StorageFullError& error) {
    spdlog::error("batch jobs: {}", error.what());
    answer_error(response, 507, "the server's disk is full; nothing of the job was stored");
  } catch (const DatabaseUnavailableError& error) {
    spdlog::error("batch jobs: {}", error.what());
    response.set_header("Retry-After", "5");
    answer_error(response, 503, "the job queue does not answer at the moment");
  } catch (const std::exception& error) {
    spdlog::error("batch jobs: {}", error.what());
    answer_error(response, 500, "the request failed; the server's log says why");
  }
}

// Measured; what `handle` throws becomes the answer.
template <typename Handle>
void answer_with(Handle handle, const std::string& endpoint, Response& response,
                 const MeasureAnswer& measure) {
  const auto whole = [&] {
    try {
      handle();
    } catch (...) {
      answer_error(response);
    }
  };
  if (measure)
    measure(endpoint, response, whole);
  else
    whole();
}

std::string parameter(const Request& request, const std::string& name, const std::string& without) {
  return request.has_param(name) ? request.get_param_value(name) : without;
}

int64_t page_size(const Request& request) {
  const std::string text = parameter(request, "limit", "20");
  const int64_t size = text.size() < 4 && text.find_first_not_of("0123456789") == text.npos
                           ? std::atoll(text.c_str())
                           : 0;
  if (size < 1 || size > kMaxPage)
    throw RequestError("limit: \"" + text + "\" is not a number from 1 to 100");
  return size;
}

bool wants_partial(const Request& request) {
  const std::string text = parameter(request, "partial", "0");
  if (text != "0" && text != "1")
    throw RequestError("partial: \"" + text + "\" is neither 0 nor 1");
  return text == "1";
}

std::string content_type(const JobOptions& options) {
  if (options.gzip) return "application/gzip";
  if (options.format.kind == LineKind::kJsonl) return "application/jsonl";
  return options.format.kind == LineKind::kTsv ? "text/tab-separated-values; charset=utf-8"
                                               : "text/plain; charset=utf-8";
}

// The value of Content-Disposition; a name beyond ASCII goes by RFC 5987.
std::string disposition(const JobOptions& options) {
  std::string name = options.name.empty()
                         ? std::string("translation.") + name_of(options.format.kind)
                         : "translated-" + options.name;
  if (options.gzip && !name.ends_with(".gz")) name += ".gz";
  std::string plain, encoded;
  for (const char c : name) {
    const bool is_safe = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    constexpr const char* kDigits = "0123456789ABCDEF";
    plain += is_safe ? c : '_';
    if (is_safe)
      encoded += c;
    else
      encoded += {'%', kDigits[static_cast<unsigned char>(c) >> 4], kDigits[c & 15]};
  }
  return "attachment; filename=\"" + plain + "\"; filename*=UTF-8''" + encoded;
}

void send(Response& response, const JobOptions& options, JobOutput job_output) {
  response.status = 200;
  response.set_header("Content-Disposition", disposition(options));
  const auto output = std::make_shared<JobOutput>(std::move(job_output));
  response.set_chunked_content_provider(
      content_type(options), [output](size_t, httplib::DataSink& sink) {
        try {
          const std::optional<std::string> bytes = output->next();
          if (bytes) return sink.write(bytes->data(), bytes->size());
          sink.done();
          return true;
        } catch (const std::exception& error) {
          spdlog::error("batch jobs: a result was not sent to its end: {}", error.what());
          return false;  // ends the connection: the client sees that the file is not whole
        }
      });
}

}  // namespace

void register_job_routes(httplib::Server& server, JobService& service, JobRouteHooks hooks) {
  const std::string all = "/v1/jobs", one = "/v1/jobs/{id}", result = "/v1/jobs/{id}/result";
  const std::string id = "/v1/jobs/([0-9A-Za-z]{1,64})";
  const auto owner = [hooks](const Request& request) {
    return hooks.owner_of ? hooks.owner_of(request) : std::string();
  };
  const auto shown = [&service](const JobStatus& job) {
    return job_json(job, service.options().keep);
  };
  const auto answering = [hooks](const std::string& endpoint, httplib::Server::Handler handler) {
    return [=](const Request& request, Response& response) {
      answer_with([&] { handler(request, response); }, endpoint, response, hooks.measure);
    };
  };
  const auto take = [=, &service](const Request& request, Response& response,
                                  const httplib::ContentReader& reader) {
    JobUploadReceiver upload(service.options().data_directory);
    upload.read(request, response, reader);
    const JobStatus job = service.submit({owner(request), request.remote_addr},
                                         job_options_of(upload.settings()), upload.path());
    response.set_header("Location", "/v1/jobs/" + job.id);
    answer(response, 201, shown(job));
  };
  server.Post(
      all, [=](const Request& request, Response& response, const httplib::ContentReader& reader) {
        answer_with([&] { take(request, response, reader); }, all, response, hooks.measure);
      });
  server.Get(all, answering(all, [=, &service](const Request& request, Response& response) {
               const int64_t size = page_size(request);
               const std::vector<JobStatus> jobs =
                   service.list(owner(request), size, parameter(request, "before", ""));
               nlohmann::json page = {{"jobs", nlohmann::json::array()}, {"next", nullptr}};
               for (const JobStatus& job : jobs) page["jobs"].push_back(shown(job));
               if (static_cast<int64_t>(jobs.size()) == size) page["next"] = page_end(jobs.back());
               answer(response, 200, page);
             }));
  server.Get(id, answering(one, [=, &service](const Request& request, Response& response) {
               const JobStatus job = service.find(owner(request), request.matches[1]);
               nlohmann::json content = shown(job);
               content["bad_line_reports"] = bad_lines_json(service.bad_lines(job, kShownBadLines));
               answer(response, 200, content);
             }));
  server.Delete(id, answering(one, [=, &service](const Request& request, Response& response) {
                  const auto job = service.cancel_or_remove(owner(request), request.matches[1]);
                  if (job)
                    answer(response, 200, shown(*job));
                  else
                    response.status = 204;
                }));
  server.Get(id + "/result",
             answering(result, [=, &service](const Request& request, Response& response) {
               const bool partial = wants_partial(request);
               const JobStatus job = service.find(owner(request), request.matches[1]);
               send(response, job.options, service.output(job, partial));
             }));
}

}  // namespace dietmt::service
