// The routes of the service: from requests to a handler's Call and back, with what all routes have
// in common: API keys, limits, errors as {"error": ...}, CORS, headers that browsers heed,
// measurements, and 404 and 405 for what is no route.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "service/api/exchange.h"
#include "service/api/metrics.h"
#include "service/http/cors.h"

namespace dietmt::service {

/// Where a route needs an API key, if keys are in use.
enum class Key {
  kHead,  // in a header or the query
  kBody,  // there, or in the body, which the handler looks at if call.key is empty
  kNone
};

struct Route {
  std::string method;  // GET, POST or DELETE
  std::string path;    // one of its parts may stand for any name: /v1/jobs/{id}
  Handler handler;
  Key key = Key::kHead;
  bool is_upload = false;  // the handler reads the body from call.request itself
};

struct RouterSettings {
  std::vector<std::string> cors_origins = {};  // "*": all
  int64_t body_bytes = 4 * 1024 * 1024;        // of what is no upload
  /// Throws HttpError to refuse a request with this key. Empty: keys are not in use.
  std::function<void(const std::string& key)> admit = nullptr;
};

class Router final : public HttpHandler {
 public:
  Router(RouterSettings settings, Metrics& metrics);

  /// Before the server listens.
  void add(Route route) { routes_.push_back(std::move(route)); }
  const std::vector<Route>& routes() const { return routes_; }

  /// Refuses what is no route, and requests without the key that theirs needs.
  Admission admit(const RequestHead& head) override;
  Answer answer(const HttpRequest& request) override;

  /// Requests in the hands of a handler.
  int64_t running() const { return running_; }

 private:
  const Route* find(const RequestHead& head) const;
  void refuse_unknown(const RequestHead& head) const;
  Answer answer_of(const Route& route, const HttpRequest& request) const;
  Answer preflight(const RequestHead& head) const;
  void complete(Answer& answer, const RequestHead& head) const;

  const RouterSettings settings_;
  const CorsPolicy cors_;
  Metrics& metrics_;
  std::vector<Route> routes_;
  std::atomic<int64_t> running_{0};
};

}  // namespace dietmt::service
