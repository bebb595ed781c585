// Options of `dietmt serve`.
#pragma once

#include <string>
#include <vector>

#include "common/options.h"
#include "service/api/translation_api.h"
#include "service/http/http_options.h"
#include "service/jobs/job_service.h"
#include "service/jobs/job_worker.h"
#include "service/scheduling/model_registry.h"

namespace dietmt::tools {

struct ServeOptions {
  std::vector<std::string> models;
  std::vector<std::string> shortlists;
  std::vector<std::string> languages;
  std::string pivot = "en";  // none: one model for each pair
  std::string guard = "retry";
  std::string keep = "plain";
  std::string quality_model;  // COMET directory; empty: none
  std::string argos;          // directory of packages; empty: none
  bool offline = false;       // fetch no models
  bool preload = false;
  bool openapi = false;  // print it and exit
  std::string device = "cpu";
  std::string cuda_graphs = "auto";
  std::string weights = "auto";
  std::string host = "127.0.0.1";
  int64_t port = 5000;
  int64_t health_port = 0;      // 0: none
  double unload_after = 0.0;    // minutes; 0: never
  int64_t model_memory = 0;     // MB; 0: no limit
  int64_t cache = 0;            // MB of translations; 0: none
  int64_t max_requests = 1280;  // in progress
  int64_t fill_wait = 0;        // milliseconds
  int64_t deadline = 60;        // seconds
  int64_t drain = 30;           // seconds
  std::string api_keys;
  std::string letters = "auto";
  std::string glossaries;
  std::string access_log;  // empty: none
  std::string log_format = "text";

  std::string data;         // directory of the jobs; empty: the system's temporary directory
  std::string queue;        // empty: SQLite in `data`
  bool worker = false;      // process batch jobs only
  int64_t keep_jobs = 72;   // hours
  int64_t job_threads = 2;  // chunks at a time
  int64_t max_upload = int64_t{4} << 30;
  service::JobQuota job_quota = service::JobServiceOptions().quota;

  service::HttpOptions http;
  service::ApiSettings api;
  service::RegistrySettings registry;

  bool has_jobs() const { return !data.empty() || !queue.empty(); }
};

OptionTable serve_option_table(ServeOptions& o);

/// After parsing. Throws ConfigError with all problems; else derives `http`, `api` and `registry`
/// from the other options.
void settle(const OptionTable& table, ServeOptions& o);

}  // namespace dietmt::tools
