// The translation service behind a cpp-httplib server.
//
//   Metrics metrics;
//   ModelRegistry models(specs, loader, {.observer = [&](auto& name) { return
//   metrics.observer(name); }}); TranslationApi api(models, metrics, {}); api.install(server);
//
// openapi.json describes the routes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "service/api/metrics.h"
#include "service/api/router.h"
#include "service/api/service_context.h"
#include "service/api/service_limits.h"
#include "service/scheduling/model_registry.h"

namespace dietmt::service {

struct ApiSettings {
  ServiceLimits limits = {};
  std::filesystem::path api_keys = {};         // a file (api_keys.h); empty: everybody is served
  std::vector<std::string> cors_origins = {};  // "*": all
  bool batch_jobs = false;                     // clients are told that there is /v1/jobs
  std::function<std::function<bool()>()> client_watch = nullptr;  // see RouterSettings
};

class TranslationApi {
 public:
  /// Throws DataError for the file of keys, ConfigError if there is no model.
  TranslationApi(ModelRegistry& models, Metrics& metrics, const ApiSettings& settings);

  /// One more route, for clients that translations are for: with a key in a header or the query
  /// where keys are in use. Before install().
  void add(Route route);

  /// Before the server listens; this outlives the server.
  void install(httplib::Server& server) { router_.install(server); }

  /// Whose API key a request carries; empty where keys are not in use. For routes of others.
  std::string client_name(const httplib::Request& request) const {
    return service_.keys.name_of(api_key_of(request));
  }

  /// Counts and times an answer of others' routes (Router::measure()).
  void measure(const std::string& endpoint, const httplib::Response& response,
               const std::function<void()>& answer) {
    router_.measure(endpoint, response, answer);
  }

  const std::vector<Route>& routes() const { return router_.routes(); }

  /// /health says so from now on, and new translations are refused with 503; those that run finish.
  void drain();

  /// Requests in the hands of a handler.
  int64_t running() const { return router_.running(); }

 private:
  ServiceContext service_;
  Router router_;
};

}  // namespace dietmt::service
