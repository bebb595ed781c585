#include "tools/serve_options.h"

#include <regex>

#include "common/logging.h"
#include "service/http/access_log.h"
#include "tools/decoding_options.h"

namespace dietmt::tools {
namespace {

void add_network(OptionTable& table, ServeOptions& o) {
  table.group("Network")
      .add("host", &o.host, "ADDRESS", "address to listen on; 0.0.0.0: all interfaces")
      .add("port", &o.port, "N", "port to listen on; 0: any free port", {.least = 0, .most = 65535})
      .add("health-port", &o.health_port, "N",
           "another port, without TLS, only for /live, /ready, /health and /metrics; 0: none",
           {.least = 0, .most = 65535})
      .add("tls-certificate", &o.http.certificate_file, "FILE",
           "TLS certificate (PEM); with --tls-key: HTTPS")
      .add("tls-key", &o.http.key_file, "FILE", "TLS private key (PEM)")
      .add("cors-origin", &o.api.cors_origins, "ORIGIN...",
           "origins whose web pages may call the server, such as https://site.example; *: all")
      .add(
          "url-prefix", &o.api.url_prefix, "PATH",
          "path in front of all paths, such as /translate-api, for a proxy that does not remove it")
      .add("allowed-host", &o.api.allowed_hosts, "NAME...",
           "names by which clients may call a server without --api-keys; localhost and IP "
           "addresses always work; *: all")
      .add("api-keys", &o.api_keys, "FILE",
           "serve only these API keys; each line: key, name, requests per minute[, admin]");
}

void add_jobs(OptionTable& table, ServeOptions& o) {
  table.group("Batch jobs")
      .add("data", &o.data, "DIR",
           "accept files at /v1/jobs and keep them here until they are translated and fetched")
      .add("queue", &o.queue, "URI",
           "postgresql://...: database for the jobs, shared by any number of servers and workers; "
           "default: SQLite in --data")
      .add("worker", &o.worker, "",
           "run as a worker: process batch jobs; over HTTP, serve only /live, /ready, /health and "
           "/metrics")
      .add("job-threads", &o.job_threads, "N",
           "chunks of jobs to translate at a time; 0: leave them to workers", ranges::kThreads)
      .add("keep-jobs", &o.keep_jobs, "HOURS", "hours to keep finished jobs",
           {.least = 1, .most = 876'000})
      .add("max-upload", &o.max_upload, "N", "largest file of a job in bytes, as uploaded",
           {.least = 1, .most = 1e15})
      .add("max-jobs", &o.job_quota.jobs, "N",
           "unfinished jobs per API key, or per address without keys; 0: no limit", {.least = 0})
      .add("max-job-lines", &o.job_quota.lines, "N",
           "lines in all unfinished jobs of a key or address; 0: no limit", {.least = 0})
      .add("max-job-bytes", &o.job_quota.bytes, "N",
           "bytes of text in all unfinished jobs of a key or address; 0: no limit", ranges::kBytes)
      .add("max-jobs-per-day", &o.job_quota.day_jobs, "N",
           "jobs that a key or address may submit per day (UTC); 0: no limit", ranges::kBytes)
      .add("max-job-lines-per-day", &o.job_quota.day_lines, "N",
           "lines of the jobs of a key or address per day; 0: no limit", ranges::kBytes)
      .add("max-job-bytes-per-day", &o.job_quota.day_bytes, "N",
           "bytes of text of the jobs of a key or address per day; 0: no limit", ranges::kBytes)
      .add(
          "max-job-tokens-per-day", &o.job_quota.day_tokens, "N",
          "translated source tokens per day, after which a key or address may submit no more jobs; "
          "0: no limit",
          ranges::kBytes)
      .add("max-all-job-lines", &o.job_quota.all_lines, "N",
           "lines of all jobs that the server keeps; 0: no limit", ranges::kBytes)
      .add("max-all-job-bytes", &o.job_quota.all_bytes, "N",
           "bytes of text of all jobs that the server keeps; 0: no limit", ranges::kBytes);
}

void add_limits(OptionTable& table, ServeOptions& o) {
  service::ServiceLimits& limits = o.api.limits;
  table.group("Limits")
      .add("max-characters", &limits.characters, "N", "characters per request", {.least = 1})
      .add("max-texts", &limits.texts, "N", "texts per request",
           {.least = 1, .most = service::kMaxValues / 2})
      .add("max-body", &limits.body_bytes, "N", "bytes of a request's body", {.least = 1})
      .add("max-beam", &limits.beam, "N", "largest beam size of a request",
           nmt::search_option(&nmt::SearchOptions::beam).rule)
      .add("requests-per-address", &o.api.requests_per_address, "N",
           "requests per minute from an address without an API key; 0: no limit, but none with "
           "--api-keys",
           {.least = 0})
      .add("deadline", &o.deadline, "SECONDS", "longest time for a request", {.least = 1})
      .add(
          "queue-tokens", &o.registry.limits.max_tokens, "N",
          "source tokens that may wait for a model, separately in short requests, in long ones and "
          "in batch jobs; further requests are rejected",
          {.least = 1})
      .add(
          "max-requests", &o.max_requests, "N",
          "requests in progress, of one client three quarters of it; further requests are rejected",
          {.least = 4, .most = 100'000})
      .add("max-connections", &o.http.max_connections, "N",
           "open connections; beyond that, the longest idle one is closed",
           {.least = 1, .most = 1'000'000})
      .add("drain", &o.drain, "SECONDS", "longest wait for running requests after SIGTERM",
           {.least = 0});
}

void add_logs(OptionTable& table, ServeOptions& o) {
  table.group("Logs")
      .add("access-log", &o.access_log, "FILE", "append a line for each answer; -: to stderr")
      .add("log-format", &o.log_format, "", "format of the log and the access log",
           {.choices = {"text", "json"}});
}

void add_machine(OptionTable& table, ServeOptions& o) {
  service::DecodingThreads& threads = o.registry.threads;
  table.group("Machine");
  add_decoding_device(table, o.device, o.weights, o.cuda_graphs);
  add_search_option(table, &nmt::SearchOptions::workers, &threads.workers);
  add_search_option(table, &nmt::SearchOptions::batch_tokens, &threads.batch_tokens);
  add_search_option(table, &nmt::SearchOptions::threads, &threads.threads);
  table.add("fill-wait", &o.fill_wait, "MS",
            "milliseconds that an idle worker waits for a full batch",
            {.least = 0, .most = 60'000});
}

// The event loop and the probes need the processor seldom, but at once.
constexpr int kNicenessOfWork = 5;

// Every request in progress sleeps in a thread until it is translated. None waits for a thread, so
// that the models' queues, which are fair, decide who goes first.
void bound_requests(int64_t most, service::HttpOptions& http) {
  http.handler_threads = most;
  http.backlog = 0;
  http.max_of_client = most - most / 4;
  http.handler_niceness = kNicenessOfWork;
}

int64_t workers_of(const ServeOptions& o) {
  return nmt::usable_workers(o.registry.threads.workers, o.registry.threads.threads);
}

// Beyond any machine's; a process cannot start many times as many.
constexpr int64_t kMostDecodingThreads = 4096;

bool is_path_prefix(const std::string& text) {
  static const std::regex prefix("(/[A-Za-z0-9._~-]+)*");
  return std::regex_match(text, prefix);
}

std::vector<std::string> problems_of(const ServeOptions& o) {
  std::vector<std::string> problems;
  const auto require = [&](bool holds, const std::string& problem) {
    if (!holds) problems.push_back(problem);
  };
  require(!o.models.empty() || !o.argos.empty(),
          "--model is missing: give --model DIR, or --argos DIR");
  require(o.shortlists.empty() || o.device == "cpu", "--shortlist needs --device cpu");
  require(o.http.certificate_file.empty() == o.http.key_file.empty(),
          "give --tls-certificate and --tls-key together");
  require(!o.worker || o.has_jobs(), "--worker needs --queue or --data, where the jobs are");
  for (const std::string& origin : o.api.cors_origins)
    require(service::CorsPolicy::is_origin(origin),
            "--cors-origin " + origin +
                ": give scheme://host or scheme://host:port, in lower case "
                "and without a path, or *");
  require(is_path_prefix(o.api.url_prefix),
          "--url-prefix " + o.api.url_prefix +
              ": give a path such as /translate-api, of letters, digits and - . _ ~ between single "
              "slashes, without a slash at the end");
  for (const std::string& name : o.api.allowed_hosts)
    require(name.find_first_of("/:") == name.npos,
            "--allowed-host " + name + ": give a name without scheme and port");
  require(o.health_port == 0 || o.health_port != o.port,
          "--health-port is the same as --port: choose another");
  require(!o.worker || o.job_threads != 0, "--worker needs --job-threads of at least 1");
  require(workers_of(o) * o.registry.threads.threads <= kMostDecodingThreads,
          "--workers times --threads is more than " + std::to_string(kMostDecodingThreads));
  return problems;
}

}  // namespace

OptionTable serve_option_table(ServeOptions& o) {
  o.registry.threads.workers = 0;
  OptionTable table("serve", "--model DIR...",
                    "Translates over HTTP. Serves a web page at /, LibreTranslate's API and its "
                    "own API, described by /openapi.json. SIGHUP reloads the models, the API "
                    "keys and the TLS certificate and reopens the access log; SIGUSR1 logs more "
                    "detail, SIGUSR2 less; SIGTERM finishes running requests and exits.");
  table.group("Models")
      .add(
          "model", &o.models, "[SRC-TGT=]DIR...",
          "model directories, directories of them, or names such as firefox:en-de of models that "
          "are fetched if they are not in the cache; default languages: those that the model "
          "lists, or "
          "those in the name of the directory (en-de); en-*=DIR: from one into all; a tag that the "
          "model reads before sources follows: en-fr=DIR,tag=<2fr>")
      .add("argos", &o.argos, "DIR",
           "data directory of Argos Translate or LibreTranslate (~/.local/share/argos-translate): "
           "serve its packages, too, which are imported into the cache, each once")
      .add("offline", &o.offline, "", "do not fetch models")
      .add("shortlist", &o.shortlists, "[MODEL=]FILE...",
           "lexical shortlists from 'dietmt shortlist': restrict the output layer to likely "
           "pieces; needs --device cpu, and the models' names if there are several; auto: the "
           "shortlist.bin of each model directory")
      .add("pivot", &o.pivot, "LANG",
           "pivot language for pairs without a direct model; none: refuse such pairs")
      .add("markup", &o.api.limits.markup, "",
           "also move tags and placeholders of plain texts with their words, unless a request says "
           "\"markup\": false")
      .add("case", &o.letters, "",
           "auto: translate texts in CAPITALS or Title Case in the usual case and write the "
           "translation in theirs; keep: do not, unless a request says \"case\": \"auto\"",
           {.choices = {"keep", "auto"}})
      .add("cache", &o.cache, "MB",
           "memory for translations that are kept for the same text, options and model; 0: none",
           {.least = 0, .most = 1e6})
      .add("cache-per-key", &o.api.cache_per_key, "",
           "give no client the translation that the cache keeps for another one")
      .add("detect-prior", &o.api.detect_prior, "LANG...",
           "languages in which a text too short to identify probably is; default: all languages of "
           "the server")
      .add("languages", &o.languages, "LANG...",
           "languages to offer of a model of several, such as NLLB; default: all of them")
      .add("glossaries", &o.glossaries, "DIR",
           "directory of glossaries that requests may name: NAME.tsv, or NAME.SRC-TGT.tsv for one "
           "language pair; files as of translate --glossary")
      .add("guard", &o.guard, "", guard_help("say so in the answer"),
           {.choices = {"off", "report", "retry"}})
      .add("keep", &o.keep, "KINDS",
           "what a translation must contain as its text does, unless a request says otherwise: "
           "plain (the kinds " +
               nmt::kept_kind_names() +
               " except tags), all, none, or kinds separated by commas. A sentence whose "
               "translation lacks some of it is translated again as with markup")
      .add("quality-model", &o.quality_model, "DIR",
           "COMET or MetricX model that needs no reference, such as CometKiwi: requests to "
           "/v1/translate with "
           "\"quality\": true get its estimate of each translation, and batch jobs with "
           "quality=true "
           "that of each line")
      .add("preload", &o.preload, "", "load all models at the start, not when first used")
      .add("unload-after", &o.unload_after, "MINUTES",
           "unload a model that no request has used for this long, until one needs it again; 0: "
           "never",
           {.least = 0, .most = 1e6})
      .add(
          "model-memory", &o.model_memory, "MB",
          "memory for loaded models, by the size of their files: to load another one, unload those "
          "that were not used for longest; 0: no limit",
          {.least = 0, .most = 1e6})
      .add("openapi", &o.openapi, "",
           "print the description of the HTTP API (OpenAPI), without languages and models, and "
           "exit");
  add_network(table, o);
  add_jobs(table, o);
  add_limits(table, o);
  add_logs(table, o);
  add_machine(table, o);
  table.environment("DIETMT_SERVE_")
      .basics({"model", "argos", "host", "port", "preload", "api-keys", "tls-certificate",
               "tls-key", "data", "max-characters", "deadline", "device", "weights", "workers"})
      .example("dietmt serve --model models/en-de --port 5000");
  return table;
}

void settle(const OptionTable& table, ServeOptions& options) {
  const LogFormat format =
      table.allows("log-format") ? parse_log_format(options.log_format) : LogFormat::kText;
  set_log_format(format);  // of problems, too
  table.check(problems_of(options));
  service::DecodingThreads& threads = options.registry.threads;
  threads.workers = workers_of(options);
  threads.niceness = kNicenessOfWork;
  options.registry.unload_after =
      std::chrono::milliseconds(static_cast<int64_t>(options.unload_after * 60'000.0));
  options.registry.memory = options.model_memory << 20;
  options.registry.limits.fill_wait = std::chrono::milliseconds(options.fill_wait);
  options.api.limits.deadline = std::chrono::seconds(options.deadline);
  options.api.api_keys = options.api_keys;
  options.api.cache_bytes = options.cache << 20;
  options.api.allowed_hosts.push_back(options.host);
  options.api.limits.guard = nmt::guard_from_name(options.guard);
  options.api.limits.restores_case = options.letters == "auto";
  options.api.limits.keep = nmt::kept_kinds_from(options.keep);
  options.api.pivot = options.pivot == "none" ? "" : options.pivot;
  if (!options.glossaries.empty())
    options.api.glossaries = std::make_shared<service::Glossaries>(options.glossaries);
  if (!options.access_log.empty())
    options.http.access_log = std::make_shared<service::AccessLog>(options.access_log, format);
  options.http.cors_origins = options.api.cors_origins;
  options.http.max_body = static_cast<uint64_t>(options.api.limits.body_bytes);
  options.http.large_body_advice = service::large_file_advice(options.has_jobs());
  bound_requests(options.max_requests, options.http);
  options.api.https = !options.http.certificate_file.empty();
  if (options.has_jobs()) {
    options.api.job_extensions = service::job_extensions();
    for (const std::string& prefix : {std::string(), options.api.url_prefix})
      for (const char* path : {"/v1/jobs", "/v2/document"})
        options.http.max_body_below[prefix + path] = static_cast<uint64_t>(options.max_upload);
  }
  if (!options.data.empty()) options.http.spool_directory = options.data;
}

}  // namespace dietmt::tools
