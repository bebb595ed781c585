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
#include <string_view>
#include <vector>

#include "service/api/fields.h"
#include "service/api/metrics.h"
#include "service/api/router.h"
#include "service/api/service_context.h"
#include "service/scheduling/model_registry.h"

namespace dietmt::service {

struct ApiSettings {
  ServiceLimits limits = {};
  std::filesystem::path api_keys = {};  // a file (api_keys.h); empty: every client is accepted
  std::vector<std::string> cors_origins = {};  // "*": all
  bool batch_jobs = false;                     // tells clients that the server has /v1/jobs
  std::function<std::function<bool()>()> client_watch = nullptr;  // see RouterSettings
};

class TranslationApi {
 public:
  /// Throws DataError for the file of keys, ConfigError if there is no model.
  TranslationApi(ModelRegistry& models, Metrics& metrics, const ApiSettings& settings);

  /// Adds a route that requires a key in a header or the query if the server has keys. Must precede
  /// install().
  void add(Route route);

  /// Call before the server listens. The API must outlive the server.
  void install(httplib::Server& server) { router_.install(server); }

  /// The name of a request's API key; empty without keys. For routes outside this API.
  std::string client_name(const httplib::Request& request) const {
    return service_.keys.name_of(api_key_of(request));
  }

  /// Counts and times an answer of a route outside this API (Router::measure()).
  void measure(const std::string& endpoint, const httplib::Response& response,
               const std::function<void()>& answer) {
    router_.measure(endpoint, response, answer);
  }

  const std::vector<Route>& routes() const { return router_.routes(); }

  /// From now on /health reports it and new translations get 503; running ones finish.
  void drain();

  /// Requests that a handler is answering.
  int64_t running() const { return router_.running(); }

 private:
  ServiceContext service_;
  Router router_;
};

/// The compiled-in OpenAPI documents: openapi.json, then openapi_*.json of the other folders.
const std::vector<std::string_view>& openapi_parts();

/// The first document, with the paths, tags and components of the others. Throws Error for invalid
/// JSON and for a path or component that two documents define differently.
std::string merged_openapi(const std::vector<std::string_view>& parts);

}  // namespace dietmt::service
