#include "service/jobs/job.h"

#include <array>
#include <boost/algorithm/string/join.hpp>

#include "common/error.h"

namespace dietmt::service {
namespace {

constexpr std::array<const char*, 5> kStates = {"queued", "running", "done", "failed", "cancelled"};

}  // namespace

// Text is a format of lines here.
std::vector<std::string> job_formats() {
  std::vector<std::string> all;
  for (const LineKind kind : kLineKinds) all.emplace_back(name_of(kind));
  for (const std::string& name : document_names())
    if (!line_kind(name)) all.push_back(name);
  return all;
}

void set_format(JobOptions& options, const std::string& name) {
  const auto lines = line_kind(name);
  options.document = lines ? std::nullopt : document_kind(name);
  if (!lines && !options.document) {
    throw RequestError("format: \"" + name + "\" is none of " +
                       boost::algorithm::join(job_formats(), ", "));
  }
  options.format.kind = lines.value_or(LineKind::kJsonl);
}

std::vector<std::string> job_extensions() {
  std::vector<std::string> all = document_extensions();
  for (const LineKind kind : kLineKinds)
    if (!document_kind(name_of(kind))) all.push_back(std::string(".") + name_of(kind));
  return all;
}

const char* name_of(JobState state) { return kStates.at(static_cast<size_t>(state)); }

JobState job_state(const std::string& name) {
  for (size_t i = 0; i < kStates.size(); ++i)
    if (name == kStates[i]) return static_cast<JobState>(i);
  throw Error("the job queue has a job in the unknown state \"" + name + "\"");
}

bool has_ended(JobState state) { return state != JobState::kQueued && state != JobState::kRunning; }

nlohmann::json JobOptions::to_json() const {
  return {{"model", model},
          {"source", source},
          {"target", target},
          {"options", decoding},
          {"format", document ? name_of(*document) : name_of(format.kind)},
          {"column", format.column},
          {"field", format.field},
          {"output", name_of(format.output)},
          {"output_field", format.output_field},
          {"name", name},
          {"gzip", gzip}};
}

JobOptions JobOptions::from_json(const nlohmann::json& stored) {
  JobOptions options;
  options.model = stored.at("model");
  options.source = stored.at("source");
  options.target = stored.at("target");
  options.decoding = stored.at("options");
  set_format(options, stored.at("format"));
  options.format.column = stored.at("column");
  options.format.field = stored.at("field");
  options.format.output = line_output(stored.at("output"));
  options.format.output_field = stored.at("output_field");
  options.name = stored.at("name");
  options.gzip = stored.at("gzip");
  return options;
}

}  // namespace dietmt::service
