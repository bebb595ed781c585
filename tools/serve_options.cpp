#include "tools/serve_options.h"

#include <ATen/Parallel.h>

#include "common/error.h"
#include "encoders/device/device.h"
#include "tools/decoding_options.h"

namespace dietmt::tools {
namespace {

void add_network(OptionTable& table, ServeOptions& options) {
  table.group("Network")
      .add("host", &options.host, "ADDRESS", "address to listen at; 0.0.0.0: all")
      .add("port", &options.port, "N", "0: one that is free")
      .add("tls-certificate", &options.http.certificate_file, "FILE", "PEM; with --tls-key: HTTPS")
      .add("tls-key", &options.http.key_file, "FILE", "PEM")
      .add("cors-origin", &options.api.cors_origins, "ORIGIN...",
           "pages of these origins may call the server; *: all")
      .add("api-keys", &options.api_keys, "FILE",
           "serve these keys alone; a line: key, name, requests per minute[, admin]");
}

void add_jobs(OptionTable& table, ServeOptions& options) {
  table.group("Batch jobs")
      .add("data", &options.data, "DIR",
           "take files at /v1/jobs and keep them here until they are translated and fetched")
      .add("queue", &options.queue, "URI",
           "postgresql://...: keep the jobs in this database, which any number of servers and "
           "workers share; without it, in --data")
      .add("worker", &options.worker, "",
           "only translate for the jobs of --queue or --data: of HTTP, /health and /metrics alone")
      .add("job-threads", &options.job_threads, "N",
           "chunks of jobs in hand at once; 0: leave them to workers")
      .add("keep-jobs", &options.keep_jobs, "HOURS", "ended jobs are removed after that")
      .add("max-upload", &options.max_upload, "N", "bytes of a job's file as it is sent")
      .add("max-jobs", &options.job_quota.jobs, "N",
           "unfinished jobs of an API key, or of an address without keys; 0: no limit")
      .add("max-job-lines", &options.job_quota.lines, "N",
           "lines of all unfinished jobs of a key or address; 0: no limit")
      .add("max-job-bytes", &options.job_quota.bytes, "N",
           "bytes of text of all unfinished jobs of a key or address; 0: no limit");
}

void add_limits(OptionTable& table, ServeOptions& options) {
  service::ServiceLimits& limits = options.api.limits;
  table.group("Limits")
      .add("max-characters", &limits.characters, "N", "characters of a request")
      .add("max-texts", &limits.texts, "N", "texts of a request")
      .add("max-body", &limits.body_bytes, "N", "bytes of a request's body")
      .add("max-beam", &limits.beam, "N", "largest beam a request may ask for")
      .add("deadline", &options.deadline, "SECONDS", "a request that takes longer is given up")
      .add("queue-tokens", &options.registry.limits.max_tokens, "N",
           "source tokens that may wait for a model; beyond it, requests are refused")
      .add("max-connections", &options.http.max_connections, "N",
           "beyond it, the one that has been idle longest is closed")
      .add("drain", &options.drain, "SECONDS", "longest wait for running requests after SIGTERM");
}

void add_machine(OptionTable& table, ServeOptions& options) {
  service::DecodingThreads& threads = options.registry.threads;
  table.group("Machine");
  add_decoding_device(table, options.device, options.weights);
  add_decoding_workers(table, threads.workers, threads.batch_tokens);
  add_worker_threads(table, threads.threads);
  table.add("fill-wait", &options.fill_wait, "MS", "an idle worker waits so long for a full batch");
}

void check_jobs(const ServeOptions& options, std::vector<std::string>& problems) {
  if (options.worker && !options.has_jobs())
    problems.push_back("--worker needs --queue or --data: where the jobs are");
  if (options.worker && options.job_threads == 0)
    problems.push_back("--worker with --job-threads 0 does nothing");
  const service::JobQuota& quota = options.job_quota;
  for (const auto& [name, value] : {std::pair{"--max-jobs", quota.jobs},
                                    {"--max-job-lines", quota.lines},
                                    {"--max-job-bytes", quota.bytes}})
    if (value < 0) problems.push_back(std::string(name) + " must not be negative");
  if (options.job_threads < 0) problems.push_back("--job-threads must not be negative");
}

void check(const ServeOptions& options) {
  std::vector<std::string> problems;
  const service::ServiceLimits& limits = options.api.limits;
  const service::DecodingThreads& threads = options.registry.threads;
  const auto require = [&](bool holds, const std::string& sentence) {
    if (!holds) problems.push_back(sentence);
  };
  require(!options.models.empty(), "--model is missing: a directory to serve");
  require(options.shortlists.empty() || options.device == "cpu",
          "--shortlist works on the CPU alone: leave --device");
  require(options.port >= 0 && options.port < 65536, "--port must be from 0 to 65535");
  require(options.http.certificate_file.empty() == options.http.key_file.empty(),
          "--tls-certificate and --tls-key belong together");
  for (const auto& [name, value] : {std::pair{"--max-characters", limits.characters},
                                    {"--max-texts", limits.texts},
                                    {"--max-body", limits.body_bytes},
                                    {"--max-beam", limits.beam},
                                    {"--max-upload", options.max_upload},
                                    {"--max-connections", options.http.max_connections},
                                    {"--keep-jobs", options.keep_jobs},
                                    {"--deadline", options.deadline},
                                    {"--queue-tokens", options.registry.limits.max_tokens},
                                    {"--threads", threads.threads},
                                    {"--batch-tokens", threads.batch_tokens}})
    require(value >= 1, std::string(name) + " must be at least 1");
  require(threads.workers >= 0, "--workers must not be negative");
  require(options.fill_wait >= 0, "--fill-wait must not be negative");
  require(options.drain >= 0, "--drain must not be negative");
  check_weights(options.weights, problems);
  check_jobs(options, problems);
  throw_if_any(problems);
  encoders::parse_device(options.device);
}

}  // namespace

OptionTable serve_option_table(ServeOptions& options) {
  options.registry.threads.workers = 0;
  OptionTable table("serve", "--model DIR...",
                    "Translates over HTTP: a page for people at /, LibreTranslate's protocol and "
                    "an own one, described by /openapi.json. SIGHUP reloads the models and "
                    "the TLS certificate, SIGTERM "
                    "finishes what runs and ends.");
  table.group("Models")
      .add("model", &options.models, "[SRC-TGT=]DIR...",
           "model directories; without languages, those of config.json or of the name (en-de)")
      .add("shortlist", &options.shortlists, "[MODEL=]FILE...",
           "of 'dietmt shortlist': the model's output layer computes a sentence's likely pieces "
           "alone, on the CPU; several models: by their names")
      .add("preload", &options.preload, "", "load all models now, not when they are first used");
  add_network(table, options);
  add_jobs(table, options);
  add_limits(table, options);
  add_machine(table, options);
  return table;
}

void settle(ServeOptions& options) {
  check(options);
  service::DecodingThreads& threads = options.registry.threads;
  // What this program may use, as `dietmt translate` takes it.
  if (threads.workers == 0) threads.workers = at::get_num_threads();
  options.registry.limits.fill_wait = std::chrono::milliseconds(options.fill_wait);
  options.api.limits.deadline = std::chrono::seconds(options.deadline);
  options.api.api_keys = options.api_keys;
  options.http.cors_origins = options.api.cors_origins;
  options.http.max_body = static_cast<uint64_t>(options.api.limits.body_bytes);
  options.api.batch_jobs = options.has_jobs();
  if (options.has_jobs())
    options.http.max_body_below["/v1/jobs"] = static_cast<uint64_t>(options.max_upload);
  if (!options.data.empty()) options.http.spool_directory = options.data;
}

}  // namespace dietmt::tools
