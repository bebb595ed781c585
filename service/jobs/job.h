// A batch job: a file translated in the background, in chunks of lines. The user's options, the
// status of a job, and the chunks that workers translate.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "service/documents/kinds/open_document.h"
#include "service/jobs/line_format.h"

namespace dietmt::service {

/// The options of a job.
struct JobOptions {
  std::string model;  // empty: the one for `source` and `target`
  std::string source;
  std::string target;
  nlohmann::json decoding = nlohmann::json::object();  // as in /v1/translate; not checked here
  // The file's lines; those of a document are its segments (segment_lines.h).
  LineFormat format;
  std::optional<DocumentKind> document;  // unset: the file has lines
  std::string name;                      // of the file; may be empty
  bool gzip = false;                     // the file and the result are gzip
  bool fuzzy = true;                     // DocumentOptions
  std::string charset = {};
  std::string columns = {};
  bool paragraphs = false;
  // Stored with the job, not among its options:
  std::string owner = {};   // JobClient::owner
  std::string client = {};  // JobClient::quota_holder(), which takes turns with others

  DocumentOptions document_options() const {
    return {source, target, fuzzy, charset, columns, paragraphs};
  }

  nlohmann::json to_json() const;
  static JobOptions from_json(const nlohmann::json& stored);
};

/// The names of the formats that jobs translate: line formats, then documents.
std::vector<std::string> job_formats();

/// Sets one of these formats. Throws RequestError for others.
void set_format(JobOptions& options, const std::string& name);

/// The extensions of the files that jobs translate, each with its dot; .gz may follow.
std::vector<std::string> job_extensions();

/// Who submits a job.
struct JobClient {
  std::string owner;    // name of the API key; "" without keys
  std::string address;  // of the client

  /// The holder of the quota that the job counts towards.
  const std::string& quota_holder() const { return owner.empty() ? address : owner; }
};

enum class JobState { kQueued, kRunning, kDone, kFailed, kCancelled };

/// "queued", ...
const char* name_of(JobState state);
/// Throws Error for any other name.
JobState job_state(const std::string& name);
/// True for done, failed and cancelled.
bool has_ended(JobState state);

struct JobStatus {
  std::string id;  // 32 hexadecimal digits
  JobOptions options;
  JobState state = JobState::kQueued;
  int64_t chunks = 0;
  int64_t lines = 0;
  int64_t lines_done = 0;
  int64_t bad_lines = 0;  // among those done
  int64_t cut_lines = 0;
  int64_t guarded_lines = 0;
  // Microseconds since 1970, by the database's clock.
  int64_t asked = 0;  // the time of this status
  int64_t created = 0;
  std::optional<int64_t> started;
  std::optional<int64_t> finished;
  std::string error;  // why the job failed
};

/// A line that could not be translated and was copied unchanged.
struct BadLine {
  int64_t line = 0;  // from 1, in the file
  std::string reason;
};

/// Consecutive lines of a file, including line ends.
struct ChunkText {
  int64_t lines = 0;
  std::string text;
};

/// A translated chunk.
struct ChunkResult {
  std::string text;  // the same number of lines as the input
  std::vector<BadLine> bad_lines;
  int64_t source_tokens = 0;
  std::vector<int64_t> cut_lines = {};      // too long for the model; from 1, in the file
  std::vector<int64_t> guarded_lines = {};  // whose translation went wrong at first, or at all
};

/// A chunk that a worker holds until its lease expires.
struct TakenChunk {
  std::string job;
  int64_t number = 0;      // from 0
  int64_t first_line = 1;  // in the file
  ChunkText input;
  std::string lease;  // unique each time a worker takes the chunk
  JobOptions options;
};

/// The API's view of a job (openapi_jobs.json): settings in, JSON out. These are the settings of
/// POST /v1/jobs by name, from the query or the parts of a form.
using JobSettings = std::map<std::string, std::string>;

/// Throws RequestError for an unknown setting.
void check_setting(const std::string& name);

/// Throws RequestError for an unknown setting, an invalid value, a setting of another format, and a
/// file name whose extension does not imply the format.
JobOptions job_options_of(const JobSettings& settings);

/// The seconds that a running job will probably take; 0: not running, or not known yet.
double seconds_left(const JobStatus& job);

/// `keep`: how long the server keeps an ended job.
nlohmann::json job_json(const JobStatus& job, std::chrono::seconds keep);

nlohmann::json bad_lines_json(const std::vector<BadLine>& lines);

}  // namespace dietmt::service
