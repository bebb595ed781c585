// DeepL's documents (https://developers.deepl.com/api-reference/document): each is a batch job.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "service/api/fields.h"
#include "service/jobs/job_service.h"
#include "service/jobs/job_upload_receiver.h"
#include "service/protocols/protocol_routes.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Those without a meaning here are ignored, as in /v2/translate.
void check_name(const std::string& /*name*/) {}

JobOptions options_of(const JobSettings& given) {
  const auto value = [&](const std::string& name) {
    const auto found = given.find(name);
    return found == given.end() ? std::string() : found->second;
  };
  if (value("target_lang").empty())
    throw HttpError::of_option("target_lang", "Invalid request: missing target_lang parameter");
  const std::string source = value("source_lang");
  std::vector<std::string> ids;
  for (std::string left = value("glossary_ids"); !left.empty();) {
    const size_t end = std::min(left.find(','), left.size());
    ids.push_back(left.substr(0, end));
    left.erase(0, end + 1);
  }
  const std::string glossary = deepl_glossary(value("glossary_id"), ids, source);
  JobSettings settings = {{"source", source.empty() ? kDetect : source},
                          {"target", value("target_lang")}};
  const std::string name = value("filename").empty() ? value("name") : value("filename");
  if (!name.empty()) settings["name"] = name;
  if (!glossary.empty()) settings["options"] = json{{"glossary", glossary}}.dump();
  return job_options_of(settings);
}

const char* status_of(JobState state) {
  switch (state) {
    case JobState::kQueued:
      return "queued";
    case JobState::kRunning:
      return "translating";
    case JobState::kDone:
      return "done";
    default:
      return "error";
  }
}

struct DeeplDocuments {
  JobService& jobs;
  OwnerOf owner_of;

  Answer submit(const Call& call) const {
    const ReceivedUpload upload = receive_upload(call, check_name);
    const JobStatus job = with_known_glossary([&] {
      return jobs.submit({owner_of(call), call.address}, options_of(upload.settings), upload.path,
                         {.client_gone = call.client_gone, .client = call.client});
    });
    return json_answer({{"document_id", job.id}, {"document_key", job.id}});
  }

  JobStatus job_of(const Call& call) const {
    const std::string key = Fields(call).text("document_key");
    if (key != call.path_part)
      throw HttpError::of_option("document_key", "document_key is not that of the document");
    return jobs.find(owner_of(call), call.path_part);
  }

  Answer status(const Call& call) const {
    const JobStatus job = job_of(call);
    ordered_json shown{{"document_id", job.id}, {"status", status_of(job.state)}};
    if (const double left = seconds_left(job); left > 0)
      shown["seconds_remaining"] = static_cast<int64_t>(left) + 1;
    if (job.state == JobState::kCancelled) shown["error_message"] = "the job was cancelled";
    if (!job.error.empty()) shown["error_message"] = job.error;
    return json_answer(shown);
  }

  Answer result(const Call& call) const { return job_result(jobs, call, job_of(call), false); }
};

}  // namespace

std::vector<Route> deepl_document_routes(JobService& jobs, OwnerOf owner_of) {
  const DeeplDocuments documents{jobs, std::move(owner_of)};
  const auto route = [&](const char* path, Answer (DeeplDocuments::*answer)(const Call&) const) {
    return Route{.method = "POST",
                 .path = path,
                 .handler = with_job_errors(
                     [documents, answer](const Call& call) { return (documents.*answer)(call); }),
                 .errors = deepl_error};
  };
  Route upload = route("/v2/document", &DeeplDocuments::submit);
  upload.is_upload = true;
  return {std::move(upload), route("/v2/document/{id}", &DeeplDocuments::status),
          route("/v2/document/{id}/result", &DeeplDocuments::result)};
}

}  // namespace dietmt::service
