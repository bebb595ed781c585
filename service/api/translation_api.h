// The translation service, answering for an HttpServer.
//
//   Metrics metrics;
//   ModelRegistry models(specs, loader, {.observer = metrics_observer});
//   TranslationApi api(models, metrics, {});
//   HttpServer server({}, api.handler());
//
// openapi.json describes the routes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "service/api/fields.h"
#include "service/api/metrics.h"
#include "service/api/quality_estimates.h"
#include "service/api/router.h"
#include "service/api/service_context.h"
#include "service/scheduling/model_registry.h"

namespace dietmt::service {

struct ApiSettings {
  ServiceLimits limits = {};
  std::string pivot = "en";             // language between two models; empty: direct models only
  std::filesystem::path api_keys = {};  // a file (api_keys.h); empty: every client is accepted
  std::shared_ptr<Glossaries> glossaries = std::make_shared<Glossaries>();
  std::vector<std::string> cors_origins = {};   // "*": all
  std::vector<std::string> allowed_hosts = {};  // for a server without keys (host_check.h)
  std::vector<std::string> job_extensions =
      {};                                      // of the files that /v1/jobs takes, if there is one
  bool https = false;                          // for addresses that clients are given
  std::string url_prefix = {};                 // as in RouterSettings
  std::vector<std::string> detect_prior = {};  // as in LanguagePairs
  int64_t requests_per_address = 0;            // as in ApiKeys
  int64_t cache_bytes = 0;     // of translations that are kept for the same request; 0: none
  bool cache_per_key = false;  // clients do not get each other's
  std::shared_ptr<QualityEstimates> quality = nullptr;  // null: requests cannot ask for it
};

class TranslationApi {
 public:
  /// Throws DataError for the key file, and ConfigError if there is no model.
  TranslationApi(ModelRegistry& models, Metrics& metrics, const ApiSettings& settings);

  /// Adds a route. Call it before the server listens.
  void add(Route route) { router_.add(std::move(route)); }

  /// The handler for an HttpServer. The API must outlive the server.
  HttpHandler& handler() { return router_; }

  /// The name of a request's API key; "" without keys. For routes outside this API.
  std::string client_name(const Call& call) const { return service_.owner_of(call); }

  const std::vector<Route>& routes() const { return router_.routes(); }

  /// Reads the file of API keys again. Throws DataError, and keeps the old keys.
  void reload_keys() { service_.keys.reload(); }

  /// /live, /ready, /health and /metrics, which handler() also has, for a separate port.
  std::vector<Route> probes();

  /// For routes outside this API.
  ServiceContext& context() { return service_; }

  /// From now on /ready and /health report the shutdown and new translations get 503; running ones
  /// finish.
  void drain();

  /// Requests that a handler is answering.
  int64_t running() const { return router_.running(); }

 private:
  void add_document(const char* path, std::string document);
  std::function<void(const std::string&, const std::string&)> admission();

  Metrics& metrics_;
  ServiceContext service_;
  Router router_;
};

/// What to do with a file that is too large for one request.
std::string large_file_advice(bool has_jobs);

/// The compiled-in OpenAPI documents: openapi.json, then openapi_*.json of the other folders.
const std::vector<std::string_view>& openapi_parts();

/// The first document, with the paths, tags and components of the others. Throws Error for invalid
/// JSON and for a path or component that two documents define differently.
std::string merged_openapi(const std::vector<std::string_view>& parts);

/// The description of a server: the merged documents with its languages, models, decoding options
/// and limits.
std::string openapi_of(const LanguagePairs& pairs, const ServiceLimits& limits);

/// A description with the title that LibreTranslate's clients look for.
std::string as_libretranslate(const std::string& description);

}  // namespace dietmt::service
