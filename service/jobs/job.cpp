#include "service/jobs/job.h"

#include <array>
#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/predicate.hpp>
#include <ctime>
#include <functional>

#include "common/error.h"
#include "common/numbers.h"
#include "common/text_io.h"

namespace dietmt::service {
namespace {

constexpr std::array<const char*, 5> kStates = {"queued", "running", "done", "failed", "cancelled"};

int64_t whole_number(const std::string& name, const std::string& text) {
  if (const auto value = number_in<int64_t>(text)) return *value;
  throw RequestError(name + ": \"" + text + "\" is not a whole number");
}

bool flag(const std::string& name, const std::string& text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  throw RequestError(name + ": \"" + text + "\" is neither true nor false");
}

nlohmann::json decoding_options(const std::string& text) {
  nlohmann::json options = nlohmann::json::parse(text, nullptr, false);
  if (!options.is_object()) throw RequestError("options: not a JSON object");
  return options;
}

// The last component of a path, without control characters.
std::string file_name(const std::string& given) {
  const std::string name = given.substr(given.find_last_of("/\\") + 1);
  std::string shown;
  for (const char c : name)
    if (static_cast<unsigned char>(c) >= ' ' && c != 0x7F) shown += c;
  return shown;
}

// By the extension, with or without .gz.
std::string format_of_file(const std::string& name) {
  std::string_view unpacked = name;
  if (boost::algorithm::iends_with(unpacked, ".gz")) unpacked.remove_suffix(3);
  if (const auto lines = kind_by_extension(unpacked)) return name_of(*lines);
  if (const auto document = kind_of_file(unpacked)) return name_of(*document);
  throw RequestError("file: the name \"" + name + "\" must end in one of " +
                     boost::algorithm::join(job_extensions(), ", ") +
                     " (then .gz, if compressed); or give the format, for plain text txt");
}

using Setter = std::function<void(JobOptions&, const std::string&)>;

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> table = {
      {"model", [](JobOptions& o, const std::string& text) { o.model = text; }},
      {"source", [](JobOptions& o, const std::string& text) { o.source = text; }},
      {"target", [](JobOptions& o, const std::string& text) { o.target = text; }},
      {"options",
       [](JobOptions& o, const std::string& text) { o.decoding = decoding_options(text); }},
      {"name", [](JobOptions& o, const std::string& text) { o.name = file_name(text); }},
      {"format", set_format},
      {"column", [](JobOptions& o,
                    const std::string& text) { o.format.column = whole_number("column", text); }},
      {"field", [](JobOptions& o, const std::string& text) { o.format.field = text; }},
      {"output",
       [](JobOptions& o, const std::string& text) { o.format.output = line_output(text); }},
      {"output_field",
       [](JobOptions& o, const std::string& text) { o.format.output_field = text; }},
      {"quality",
       [](JobOptions& o, const std::string& text) { o.format.quality = flag("quality", text); }},
      {"fuzzy", [](JobOptions& o, const std::string& text) { o.fuzzy = flag("fuzzy", text); }},
      {"charset", [](JobOptions& o, const std::string& text) { o.charset = text; }},
      {"columns", [](JobOptions& o, const std::string& text) { o.columns = text; }},
      {"paragraphs",
       [](JobOptions& o, const std::string& text) { o.paragraphs = flag("paragraphs", text); }},
  };
  return table;
}

// Refuses settings that do not apply to the format.
void check_settings(const JobSettings& settings, const JobOptions& options) {
  const auto only_for = [&](LineKind kind, const std::string& name) {
    if (settings.contains(name) && (options.document || options.format.kind != kind))
      throw RequestError(name + ": only for the format " + name_of(kind));
  };
  only_for(LineKind::kTsv, "column");
  only_for(LineKind::kJsonl, "field");
  only_for(LineKind::kJsonl, "output_field");
  if (settings.contains("fuzzy") && options.document != DocumentKind::kPo)
    throw RequestError("fuzzy: only for the format po");
  if (settings.contains("columns") && options.document != DocumentKind::kCsv)
    throw RequestError("columns: only for the format csv");
  if (settings.contains("charset") && !options.document)
    throw RequestError("charset: only for documents");
}

constexpr const char* kApiKey = "api_key";  // already checked

constexpr int64_t kSecond = 1'000'000;

// RFC 3339, in UTC.
nlohmann::json time_json(std::optional<int64_t> microseconds) {
  if (!microseconds) return nullptr;
  const std::time_t seconds = *microseconds / kSecond;
  std::tm fields = {};
  gmtime_r(&seconds, &fields);
  char text[sizeof "2000-01-01T00:00:00Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text;
}

// Lines per second; 0 before the first line is done.
double rate_of(const JobStatus& job) {
  if (!job.started || job.lines_done == 0) return 0;
  const int64_t time = job.finished.value_or(job.asked) - *job.started;
  return static_cast<double>(job.lines_done) * kSecond /
         static_cast<double>(std::max<int64_t>(time, 1));
}

nlohmann::json if_positive(double value) {
  return value > 0 ? nlohmann::json(value) : nlohmann::json(nullptr);
}

// Paragraphs are the segments of a document.
void choose_paragraphs(JobOptions& options) {
  if (!options.paragraphs) return;
  if (options.document || options.format.kind != LineKind::kTxt)
    throw RequestError("paragraphs: only for the format txt");
  options.document = DocumentKind::kTxt;
}

}  // namespace

// Text counts as a format of lines.
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
    throw RequestError("format: \"" + name + "\" is not one of " +
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
          {"quality", format.quality},
          {"name", name},
          {"gzip", gzip},
          {"fuzzy", fuzzy},
          {"charset", charset},
          {"columns", columns},
          {"paragraphs", paragraphs}};
}

JobOptions JobOptions::from_json(const nlohmann::json& stored) {
  JobOptions options;
  options.model = stored.at("model");
  options.source = stored.at("source");
  options.target = stored.at("target");
  options.decoding = stored.at("options");
  set_format(options, stored.at("format"));
  options.columns = stored.value("columns", "");
  options.paragraphs = stored.value("paragraphs", false);
  options.format.column = stored.at("column");
  options.format.field = stored.at("field");
  options.format.output = line_output(stored.at("output"));
  options.format.output_field = stored.at("output_field");
  options.format.quality = stored.value("quality", false);
  choose_paragraphs(options);
  options.name = stored.at("name");
  options.gzip = stored.at("gzip");
  options.fuzzy = stored.value("fuzzy", true);
  options.charset = stored.value("charset", "");
  return options;
}

void check_setting(const std::string& name) {
  if (name == kApiKey || setters().contains(name)) return;
  constexpr size_t kShown = 64;
  throw RequestError("unknown setting \"" + name.substr(0, kShown) + "\"");
}

JobOptions job_options_of(const JobSettings& settings) {
  JobOptions options;
  const auto file = settings.find("name");
  if (file != settings.end() && !settings.contains("format"))
    set_format(options, format_of_file(file->second));
  for (const auto& [name, text] : settings) {
    check_setting(name);
    if (name == kApiKey) continue;
    if (invalid_utf8_at(text) != text.npos) throw RequestError(name + ": invalid UTF-8");
    setters().at(name)(options, text);
  }
  check_settings(settings, options);
  choose_paragraphs(options);
  return options;
}

double seconds_left(const JobStatus& job) {
  const double rate = rate_of(job);
  if (job.state != JobState::kRunning || rate <= 0) return 0;
  return static_cast<double>(job.lines - job.lines_done) / rate;
}

nlohmann::json job_json(const JobStatus& job, std::chrono::seconds keep) {
  nlohmann::json shown = job.options.to_json();
  const double rate = rate_of(job);
  std::optional<int64_t> expires = job.finished;
  if (expires) *expires += keep.count() * kSecond;
  shown.update({{"id", job.id},
                {"state", name_of(job.state)},
                {"lines", job.lines},
                {"lines_done", job.lines_done},
                {"bad_lines", job.bad_lines},
                {"cut_lines", job.cut_lines},
                {"guarded_lines", job.guarded_lines},
                {"lines_per_second", if_positive(rate)},
                {"seconds_left", if_positive(seconds_left(job))},
                {"created", time_json(job.created)},
                {"started", time_json(job.started)},
                {"finished", time_json(job.finished)},
                {"expires", time_json(expires)},
                {"error", nullptr}});
  if (!job.error.empty()) shown["error"] = job.error;
  return shown;
}

nlohmann::json bad_lines_json(const std::vector<BadLine>& lines) {
  nlohmann::json shown = nlohmann::json::array();
  for (const BadLine& line : lines) shown.push_back({{"line", line.line}, {"reason", line.reason}});
  return shown;
}

}  // namespace dietmt::service
