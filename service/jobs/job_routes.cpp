#include "service/jobs/job_routes.h"

#include <spdlog/spdlog.h>

#include <exception>
#include <memory>

#include "service/http/byte_range.h"
#include "service/jobs/job.h"
#include "service/jobs/job_service.h"
#include "service/jobs/job_upload_receiver.h"

namespace dietmt::service {
namespace {

constexpr int64_t kShownLines = 100;
constexpr int64_t kMaxPage = 100;

Answer json_answer(int status, const nlohmann::json& content) {
  return {.status = status,
          .body = content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

// Converts errors of jobs to HttpErrors; error_answer() handles all others.
[[noreturn]] void rethrow_for_client() {
  try {
    throw;
  } catch (const NoSuchJobError& error) {
    throw HttpError(404, error.what());
  } catch (const JobStateError& error) {
    throw HttpError(409, error.what());
  } catch (const FileTooLargeError& error) {
    throw HttpError(413, error.what());
  } catch (const JobQuotaError& error) {
    throw HttpError(429, error.what());
  } catch (const JobQueueFullError& error) {
    throw HttpError(507, error.what());
  } catch (const ConfigError& error) {
    throw HttpError(400, error.what());
  } catch (const DataError& error) {
    throw HttpError(400, error.what());
  } catch (const StorageFullError& error) {
    spdlog::error("batch jobs: {}", error.what());
    throw HttpError(507, "the server's disk is full; nothing was stored");
  } catch (const DatabaseUnavailableError&) {
    throw HttpError(503, "the job queue is not available at the moment")
        .with_header("Retry-After", "5");
  }
}

int64_t page_size(const Call& call) {
  const std::string text = call.parameter("limit", "20");
  const int64_t size = text.size() < 4 && text.find_first_not_of("0123456789") == text.npos
                           ? std::atoll(text.c_str())
                           : 0;
  if (size < 1 || size > kMaxPage)
    throw RequestError("limit: \"" + text + "\" is not a number from 1 to 100");
  return size;
}

bool wants_partial(const Call& call) {
  const std::string text = call.parameter("partial", "0");
  if (text != "0" && text != "1")
    throw RequestError("partial: \"" + text + "\" is neither 0 nor 1");
  return text == "1";
}

std::string content_type(const JobOptions& options) {
  if (options.gzip) return "application/gzip";
  if (options.document) return media_type_of(*options.document);
  if (options.format.kind == LineKind::kJsonl) return "application/jsonl";
  return options.format.kind == LineKind::kTsv ? "text/tab-separated-values; charset=utf-8"
                                               : "text/plain; charset=utf-8";
}

// The name of the result's file.
std::string result_name(const JobOptions& options) {
  const auto& document = options.document;
  std::string name = options.name.empty()
                         ? std::string("translation.") +
                               (document ? name_of(*document) : name_of(options.format.kind))
                         : "translated-" + options.name;
  if (document) name = translated_name(std::move(name), *document);
  if (options.gzip && !name.ends_with(".gz")) name += ".gz";
  return name;
}

// The value of Content-Disposition; non-ASCII names are encoded as in RFC 5987.
std::string disposition(const JobOptions& options) {
  const std::string name = result_name(options);
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

// What became of a document's segments, and which parts are not translated.
Pairs report_headers(const JobOutput& output) {
  constexpr size_t kMostNames = 20;
  const TranslatedDocument* const document = output.document();
  if (document == nullptr) return {};
  const auto& [translated, copied, refused] = document->report;
  Pairs headers = {{"X-Segments", "translated=" + std::to_string(translated) +
                                      ", copied=" + std::to_string(copied) +
                                      ", refused=" + std::to_string(refused)}};
  if (document->left_out.empty()) return headers;
  nlohmann::json names = document->left_out;
  if (names.size() > kMostNames) names.erase(names.begin() + kMostNames, names.end());
  constexpr bool kOnlyAscii = true;
  headers.emplace_back("X-Left-Out", names.dump(-1, ' ', kOnlyAscii));
  return headers;
}

Pairs result_headers(const JobOptions& options, const JobOutput& output) {
  Pairs headers = report_headers(output);
  headers.emplace_back("Content-Disposition", disposition(options));
  return headers;
}

// A partial result, which may still change.
Answer streamed(const JobOptions& options, JobOutput job_output) {
  const auto output = std::make_shared<JobOutput>(std::move(job_output));
  return {.type = content_type(options),
          .headers = result_headers(options, *output),
          .pieces = [output] { return output->next(); }};
}

// The next pieces, cut off after `bytes`.
std::function<std::optional<std::string>()> limited(std::shared_ptr<JobOutput> output,
                                                    uint64_t bytes) {
  return [output = std::move(output), left = bytes]() mutable -> std::optional<std::string> {
    auto piece = left > 0 ? output->next() : std::nullopt;
    if (piece && piece->size() > left) piece->resize(left);
    if (piece) left -= piece->size();
    return piece;
  };
}

// The result of a finished job never changes, so a client can continue a download. The size of
// packed text is computed only for a range, since that takes as long as sending it.
Answer complete_result(const RequestHead& head, const JobStatus& job, JobOutput job_output) {
  const auto output = std::make_shared<JobOutput>(std::move(job_output));
  Answer answer{.type = content_type(job.options), .headers = result_headers(job.options, *output)};
  answer.headers.emplace_back("Accept-Ranges", "bytes");
  answer.headers.emplace_back("ETag", "\"" + job.id + "\"");
  const std::string& condition = head.field("If-Range");
  const bool has_range = !head.field("Range").empty() &&
                         (condition.empty() || condition == answer.headers.back().second);
  if (!job.options.gzip || has_range) answer.length = output->size();
  const auto request = has_range ? parse_range(head.field("Range"), *answer.length) : std::nullopt;
  if (request && !request->range) {
    const std::string size = std::to_string(*answer.length);
    throw HttpError(416, "the result has only " + size + " bytes")
        .with_header("Content-Range", "bytes */" + size);
  }
  if (request) {
    const ByteRange& range = *request->range;
    answer.status = 206;
    answer.headers.emplace_back("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                                     std::to_string(range.last) + "/" +
                                                     std::to_string(*answer.length));
    answer.length = range.size();
    output->skip(range.first);
  }
  answer.pieces = limited(output, answer.length.value_or(UINT64_MAX));
  return answer;
}

// The handlers of a service's routes.
struct JobHandlers {
  JobService& service;
  OwnerOf owner_of;

  std::string owner(const Call& call) const { return owner_of ? owner_of(call) : ""; }
  nlohmann::json shown(const JobStatus& job) const { return job_json(job, service.options().keep); }

  Answer submit(const Call& call) const {
    const ReceivedUpload upload = receive_upload(call);
    const JobStatus job =
        service.submit({owner(call), call.address}, job_options_of(upload.settings), upload.path,
                       {.client_gone = call.client_gone, .client = call.client});
    Answer answer = json_answer(201, shown(job));
    answer.headers = {{"Location", call.url_prefix + "/v1/jobs/" + job.id}};
    return answer;
  }

  Answer list(const Call& call) const {
    const int64_t size = page_size(call);
    const std::vector<JobStatus> jobs =
        service.list(owner(call), size, call.parameter("before", ""));
    nlohmann::json page = {{"jobs", nlohmann::json::array()}, {"next", nullptr}};
    for (const JobStatus& job : jobs) page["jobs"].push_back(shown(job));
    if (static_cast<int64_t>(jobs.size()) == size) page["next"] = page_end(jobs.back());
    return json_answer(200, page);
  }

  Answer show(const Call& call) const {
    const JobStatus job = service.find(owner(call), call.path_part);
    nlohmann::json content = shown(job);
    content["bad_line_reports"] = bad_lines_json(service.bad_lines(job, kShownLines));
    content["cut_line_numbers"] = service.cut_lines(job, kShownLines);
    content["guarded_line_numbers"] = service.guarded_lines(job, kShownLines);
    return json_answer(200, content);
  }

  Answer remove(const Call& call) const {
    const auto job = service.cancel_or_remove(owner(call), call.path_part);
    return job ? json_answer(200, shown(*job)) : Answer{.status = 204};
  }

  Answer send_result(const Call& call) const {
    const bool partial = wants_partial(call);
    const JobStatus job = service.find(owner(call), call.path_part);
    return job_result(service, call, job, partial);
  }
};

}  // namespace

Handler with_job_errors(Handler handle) {
  return [handle = std::move(handle)](const Call& call) {
    try {
      return handle(call);
    } catch (const std::exception&) {
      rethrow_for_client();
    }
  };
}

Answer job_result(JobService& service, const Call& call, const JobStatus& job, bool partial) {
  JobOutput output =
      service.output(job, partial, {.client_gone = call.client_gone, .client = call.client});
  return job.state == JobState::kDone ? complete_result(call.request->head, job, std::move(output))
                                      : streamed(job.options, std::move(output));
}

std::vector<Route> job_routes(JobService& service, OwnerOf owner_of) {
  const JobHandlers jobs{service, std::move(owner_of)};
  const auto route = [&](const char* method, const char* path,
                         Answer (JobHandlers::*answer)(const Call&) const) {
    return Route{method, path, with_job_errors([jobs, answer](const Call& call) {
                   return (jobs.*answer)(call);
                 })};
  };
  Route upload = route("POST", "/v1/jobs", &JobHandlers::submit);
  upload.is_upload = true;
  return {std::move(upload), route("GET", "/v1/jobs", &JobHandlers::list),
          route("GET", "/v1/jobs/{id}", &JobHandlers::show),
          route("DELETE", "/v1/jobs/{id}", &JobHandlers::remove),
          route("GET", "/v1/jobs/{id}/result", &JobHandlers::send_result)};
}

}  // namespace dietmt::service
