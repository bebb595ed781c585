// The translation service behind an HttpServer.
//
//   Metrics metrics;
//   ModelRegistry models(specs, loader, {.observer = [&](auto& name) { return
//   metrics.observer(name); }}); TranslationApi api(models, metrics, {});
//   HttpServer server({}, api.handler());
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
};

class TranslationApi {
 public:
  /// Throws DataError for the file of keys, ConfigError if there is no model.
  TranslationApi(ModelRegistry& models, Metrics& metrics, const ApiSettings& settings);

  /// One more route. Before the server listens.
  void add(Route route) { router_.add(std::move(route)); }

  /// What an HttpServer serves; this outlives the server.
  HttpHandler& handler() { return router_; }

  /// Whose API key a request carries; empty where keys are not in use.
  std::string client_name(const Call& call) const { return service_.keys.name_of(call.key); }

  const std::vector<Route>& routes() const { return router_.routes(); }

  /// /health says so from now on, and new translations are refused with 503; those that run finish.
  void drain();

  /// Requests in the hands of a handler.
  int64_t running() const { return router_.running(); }

 private:
  std::function<void(const std::string&)> admission();

  ServiceContext service_;
  Router router_;
};

}  // namespace dietmt::service
