// dietmt serve: translates over HTTP.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "common/error.h"
#include "common/logging.h"
#include "common/memory_use.h"
#include "service/api/host_check.h"
#include "service/api/line_translation.h"
#include "service/api/probe_routes.h"
#include "service/api/serve_signals.h"
#include "service/api/translation_api.h"
#include "service/http/access_log.h"
#include "service/http/http_server.h"
#include "service/jobs/client_glossaries.h"
#include "service/jobs/job_metrics.h"
#include "service/jobs/job_queue.h"
#include "service/jobs/job_routes.h"
#include "service/jobs/job_service.h"
#include "service/jobs/job_worker.h"
#include "service/page/analysis.h"
#include "service/page/page.h"
#include "service/protocols/protocol_routes.h"
#include "storage/fetched_models.h"
#include "tools/commands.h"
#include "tools/serve_options.h"
#include "tools/served_models.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

using service::HttpServer;
using service::JobOptions;
using service::ServeSignals;

service::LineRequest line_request(const JobOptions& job) {
  return {job.model, job.source, job.target, job.owner, job.client, job.format.quality};
}

fs::path made_directory(const std::string& name) {
  if (name.empty()) return fs::temp_directory_path();
  std::error_code error;
  fs::create_directories(name, error);
  if (error) throw Error("--data " + name + ": cannot create the directory: " + error.message());
  return name;
}

// Batch jobs: the queue, the upload service and the worker. Translates until request_stop().
// `models` must outlive it.
class ServeJobs {
 public:
  // Throws Error for a directory that cannot be written or a database that cannot be used.
  ServeJobs(const ServeOptions& options, service::ModelRegistry& models);

  // What answers /v1/jobs.
  service::JobService& service() { return *service_; }

  // Those of the clients, in the same database.
  service::ClientGlossaries& glossaries() { return *glossaries_; }

  // For /metrics.
  std::vector<prometheus::MetricFamily> metrics() const { return metrics_->families(); }

  // Returns the chunks in progress to the queue for another process, or a restart of this one.
  // Call it before the models are drained, which would count as failures of the chunks.
  void request_stop();

  // Whether nothing is in progress after that.
  bool has_ended() const { return !worker_ || worker_->has_ended(); }

 private:
  service::LineTranslator translator_;
  std::unique_ptr<service::JobQueue> queue_;
  std::unique_ptr<service::ClientGlossaries> glossaries_;
  std::unique_ptr<service::JobMetrics> metrics_;
  std::unique_ptr<service::JobService> service_;
  std::optional<service::JobWorker> worker_;
};

ServeJobs::ServeJobs(const ServeOptions& options, service::ModelRegistry& models)
    : translator_(models, options.api.limits, options.api.pivot, options.api.glossaries,
                  options.api.quality) {
  const fs::path data = made_directory(options.data);
  queue_ = std::make_unique<service::JobQueue>(service::open_job_database(options.queue, data));
  glossaries_ = std::make_unique<service::ClientGlossaries>(queue_->database());
  options.api.glossaries->set_store(*glossaries_);
  metrics_ = std::make_unique<service::JobMetrics>(*queue_);
  service::JobServiceOptions settings;
  settings.keep = std::chrono::hours(options.keep_jobs);
  settings.quota = options.job_quota;
  settings.queued = [this] {
    if (worker_) worker_->wake();
  };
  service_ = std::make_unique<service::JobService>(
      *queue_, settings,
      [this](const JobOptions& job) { translator_.check(line_request(job), job.decoding); });
  if (options.job_threads == 0) return;
  worker_.emplace(
      *queue_,
      [this](const JobOptions& job, const service::ConnectedTexts& lines,
             const std::function<bool()>& cancelled) {
        return translator_.translate(line_request(job), job.decoding, lines, cancelled);
      },
      service::JobWorkerOptions{.threads = options.job_threads});
}

void ServeJobs::request_stop() {
  if (worker_) worker_->request_stop();
}

// Work that nothing interrupts: loading a model, preparing a long text. The queue frees the chunks
// of processes that have ended.
[[noreturn]] void leave_unfinished(const char* what) {
  spdlog::warn("stopped while {}", what);
  std::_Exit(0);
}

void leave_unfinished_jobs(const ServeJobs& jobs) {
  if (!jobs.has_ended())
    leave_unfinished(
        "a chunk of a batch job was still being prepared; it will be translated again");
}

bool is_ready(const std::future<void>& work) {
  return work.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

void leave_unfinished_loads(const service::ModelRegistry& models,
                            const std::future<void>& reloading) {
  if (reloading.valid() && !is_ready(reloading)) leave_unfinished("models were being reloaded");
  const std::vector<service::ModelStatus> all = models.status();
  if (std::ranges::count(all, service::ModelState::kLoading, &service::ModelStatus::state) > 0)
    leave_unfinished("models were being loaded");
}

// Throws ConfigError for models that do not fit, by themselves or with the others of their path.
void check_memory(const service::LanguagePairs& pairs, int64_t limit) {
  if (limit == 0) return;
  std::vector<std::string> problems;
  const auto add = [&](const std::string& name, int64_t bytes) {
    const std::string problem = service::memory_problem(name, bytes, limit);
    if (!problem.empty()) problems.push_back(problem);
  };
  std::map<std::string, int64_t> sizes;
  for (const service::ModelSpec& spec : pairs.specs())
    add(spec.directory.string(), sizes[spec.name] = service::model_bytes(spec));
  throw_if_any(problems);
  std::set<std::string> checked;
  for (const std::string& source : pairs.sources()) {
    for (const std::string& target : pairs.targets(source)) {
      std::set<std::string> models;  // one model may translate twice
      const service::ModelPath path = pairs.path_of(source, target);
      for (const service::ModelSpec* spec : path) models.insert(spec->name);
      if (models.size() < 2 || !checked.insert(service::path_name(path)).second) continue;
      int64_t bytes = 0;
      for (const std::string& model : models) bytes += sizes[model];
      add(service::path_name(path), bytes);
    }
  }
  throw_if_any(problems);
}

void wait_until(Clock::time_point end, const std::function<bool()>& is_done) {
  while (!is_done() && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

// The next signal, but at most until `work` ends: kNone.
ServeSignals::Event next_event(const ServeSignals& signals, const std::future<void>& work) {
  constexpr std::chrono::milliseconds kGlance{50};
  constexpr std::chrono::hours kLong{1};
  if (!work.valid()) return signals.wait(kLong);
  ServeSignals::Event event = ServeSignals::Event::kNone;
  while (event == ServeSignals::Event::kNone && !is_ready(work)) event = signals.wait(kGlance);
  return event;
}

void change_log_level(ServeSignals::Event event) {
  if (event == ServeSignals::Event::kLogMore) dietmt::change_log_level(1);
  if (event == ServeSignals::Event::kLogLess) dietmt::change_log_level(-1);
}

// Throws Unavailable. A signal to stop ends the process.
void preload(service::ModelRegistry& models, const ServeSignals& signals) {
  std::future<void> loading = std::async(std::launch::async, [&] { models.preload(); });
  while (!is_ready(loading)) {
    const ServeSignals::Event event = next_event(signals, loading);
    if (event == ServeSignals::Event::kStop) leave_unfinished("models were being loaded");
    change_log_level(event);
  }
  loading.get();
}

// One part of a reload; the server goes on with what it has if that fails.
void reload_part(const char* what, const char* old, const std::function<void()>& reload) {
  try {
    reload();
    spdlog::info("reload: read {} again", what);
  } catch (const Error& error) {
    spdlog::error("reload: {} {}", error.what(), old);
  }
}

// `reload_keys`: of a server that has some. Returns a reload of the models that is still running,
// if there is one.
std::future<void> serve_until_stopped(const ServeSignals& signals, HttpServer& server,
                                      service::ModelRegistry& models, const ServeOptions& options,
                                      const std::function<void()>& reload_keys) {
  using Event = ServeSignals::Event;
  std::future<void> reloading;
  bool is_asked_again = false;
  while (true) {
    const Event event = next_event(signals, reloading);
    if (reloading.valid() && is_ready(reloading)) reloading = {};
    if (event == Event::kStop) return reloading;
    change_log_level(event);
    if (event == Event::kReload) {
      if (options.http.access_log)
        reload_part("the access log's name", "The old file stays in use.",
                    [&] { options.http.access_log->reopen(); });
      if (!options.api_keys.empty())
        reload_part("the API keys", "The old keys stay in use.", reload_keys);
      if (!options.glossaries.empty())
        reload_part("the glossaries", "The old glossaries stay in use.",
                    [&] { options.api.glossaries->reload(); });
      if (!options.http.certificate_file.empty())
        reload_part("the certificate", "The old certificate stays in use.",
                    [&] { server.reload_certificate(); });
      is_asked_again = true;
    }
    if (!is_asked_again || reloading.valid()) continue;
    is_asked_again = false;
    reloading = std::async(std::launch::async, [&models] {
      reload_part("the models", "", [&] { models.reload(""); });
    });
  }
}

void listen(HttpServer& server, service::Metrics& metrics, const ServeOptions& options) {
  metrics.watch_connections([&server] { return server.counters(); });
  const int port = server.listen(options.host, static_cast<int>(options.port));
  spdlog::info("listening at {}:{}", options.host, port);
  if (options.api_keys.empty() && !options.worker && !service::names_loopback(options.host))
    spdlog::warn("everyone who can reach {} can use this server: it has no --api-keys",
                 options.host);
}

// With API keys any host may be asked for, as on the main port.
service::RouterSettings probe_settings(const ServeOptions& options) {
  if (!options.api_keys.empty()) return {.allowed_hosts = {"*"}};
  return {.allowed_hosts = options.api.allowed_hosts};
}

// Probes on --health-port, with a thread for its connections; does nothing without the option.
class HealthServer {
 public:
  HealthServer(std::vector<service::Route> probes, service::Metrics& metrics,
               const ServeOptions& options)
      : router_(probe_settings(options), metrics),
        server_({.max_connections = 256, .handler_threads = 1}, router_) {
    if (options.health_port == 0) return;
    for (service::Route& probe : probes) router_.add(std::move(probe));
    server_.listen(options.host, static_cast<int>(options.health_port));
    spdlog::info("health at {}:{}", options.host, options.health_port);
  }

 private:
  service::Router router_;
  HttpServer server_;
};

// Another signal ends the process from now on. `jobs` may be null.
void drain(std::unique_ptr<ServeSignals> signals, HttpServer& server, service::TranslationApi& api,
           const service::ModelRegistry& models, ServeJobs* jobs,
           const std::future<void>& reloading, const ServeOptions& options) {
  const auto end = Clock::now() + std::chrono::seconds(options.drain);
  spdlog::info("stopping: {} requests are running and have {} s", api.running(), options.drain);
  if (jobs != nullptr) jobs->request_stop();
  signals.reset();
  api.drain();
  wait_until(end, [&] { return api.running() == 0 && (jobs == nullptr || jobs->has_ended()); });
  // Answers may still be on their way.
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  if (!server.drain(std::max(left, std::chrono::milliseconds(1000))))
    spdlog::warn("some requests were still running after {} s", options.drain);
  if (jobs != nullptr) leave_unfinished_jobs(*jobs);
  if (api.running() > 0) leave_unfinished("requests were running");
  leave_unfinished_loads(models, reloading);
  spdlog::info("stopped");
}

void serve(std::unique_ptr<ServeSignals> signals, const ServeOptions& options,
           service::ModelRegistry& models, service::Metrics& metrics,
           service::AnalysisRoute& analysis, ServeJobs* jobs) {
  service::TranslationApi api(models, metrics, options.api);
  api.add({"POST", "/v1/analyze",
           [&analysis](const service::Call& call) { return analysis.answer(call); }});
  for (service::Route& route : service::page_routes()) api.add(std::move(route));
  for (service::Route& route : service::protocol_routes(api.context())) api.add(std::move(route));
  if (jobs != nullptr) {
    const auto owner_of = [&api](const service::Call& call) { return api.client_name(call); };
    for (service::Route& route : service::job_routes(jobs->service(), owner_of))
      api.add(std::move(route));
    for (service::Route& route : service::deepl_document_routes(jobs->service(), owner_of))
      api.add(std::move(route));
  }
  for (service::Route& route : service::deepl_glossary_routes(
           api.context(), jobs != nullptr ? &jobs->glossaries() : nullptr))
    api.add(std::move(route));
  HttpServer server(options.http, api.handler());
  listen(server, metrics, options);
  const HealthServer health(api.probes(), metrics, options);
  const std::future<void> reloading =
      serve_until_stopped(*signals, server, models, options, [&api] { api.reload_keys(); });
  drain(std::move(signals), server, api, models, jobs, reloading, options);
}

// The jobs' threads do the work; HTTP tells whether they live.
void work(std::unique_ptr<ServeSignals> signals, const ServeOptions& options,
          service::ModelRegistry& models, service::Metrics& metrics, ServeJobs& jobs) {
  std::atomic<bool> draining = false;
  service::Router router(probe_settings(options), metrics);
  const auto probes = service::probe_routes({.models = models,
                                             .metrics = metrics,
                                             .draining = [&] { return draining.load(); },
                                             .running = [&] { return router.running(); }});
  for (const service::Route& probe : probes) router.add(probe);
  HttpServer server(options.http, router);
  listen(server, metrics, options);
  const HealthServer health(probes, metrics, options);
  const std::future<void> reloading = serve_until_stopped(*signals, server, models, options, [] {});
  draining = true;
  spdlog::info("stopping: chunks of jobs have {} s", options.drain);
  jobs.request_stop();
  signals.reset();
  wait_until(Clock::now() + std::chrono::seconds(options.drain), [&] { return jobs.has_ended(); });
  leave_unfinished_jobs(jobs);
  leave_unfinished_loads(models, reloading);
  spdlog::info("stopped");
}

// Those of --model that are names and not in the cache yet.
void fetch_models(const std::vector<std::string>& words) {
  std::vector<std::string> command = {"models", "fetch"};
  for (const std::string& word : words) {
    const std::string name = service::model_in_word(word);
    if (storage::is_model_name(name) && !fs::exists(name) && !storage::is_fetched(name))
      command.push_back(name);
  }
  if (command.size() > 2) run_dietmt(command);
}

// Adds the packages in --argos, as SRC-TGT=DIR, unless --model has a model for the pair.
void add_argos_packages(ServeOptions& options) {
  std::istringstream lines(run_dietmt({"models", "argos", options.argos}));
  for (std::string pair, directory; std::getline(std::getline(lines, pair, '\t'), directory);) {
    const bool is_given = std::ranges::any_of(
        options.models, [&](const std::string& word) { return word.starts_with(pair + "="); });
    if (!is_given) options.models.push_back(pair + "=" + directory);
  }
  if (options.models.empty())
    throw Error("--argos " + options.argos + ": no package could be imported");
}

}  // namespace

int run_serve(const std::vector<std::string>& arguments) {
  share_arenas();
  ServeOptions options;
  OptionTable table = serve_option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  if (options.openapi) {
    std::cout << service::openapi_of(service::LanguagePairs({}), options.api.limits) << '\n';
    return 0;
  }
  settle(table, options);
  if (!options.offline) fetch_models(options.models);
  if (!options.argos.empty()) add_argos_packages(options);
  std::vector<service::ModelSpec> specs = service::parse_model_specs(options.models);
  service::limit_languages(options.languages, specs);
  service::add_shortlists(options.shortlists, specs);
  const service::LanguagePairs pairs(specs, options.api.pivot);
  check_memory(pairs, options.registry.memory);
  const std::unique_ptr<ServedModels> served = served_models(options, specs, arguments);
  options.api.quality = served->quality();

  auto signals = std::make_unique<ServeSignals>();
  service::Metrics metrics;
  options.registry.observer = [&](const std::string& name) { return metrics.observer(name); };
  service::AnalysisRoute analysis(
      pairs, [&](const service::ModelSpec& spec, const service::AnalysisRequest& request) {
        return served->analyse(spec, request);
      });
  const auto load = [&](const service::ModelSpec& spec) { return served->load(spec); };
  service::ModelRegistry models(specs, load, options.registry);
  if (options.preload) preload(models, *signals);
  std::unique_ptr<ServeJobs> jobs;
  if (options.has_jobs()) jobs = std::make_unique<ServeJobs>(options, models);
  if (jobs) metrics.add_source([&jobs] { return jobs->metrics(); });

  if (options.worker)
    work(std::move(signals), options, models, metrics, *jobs);
  else
    serve(std::move(signals), options, models, metrics, analysis, jobs.get());
  return 0;
}

}  // namespace dietmt::tools
