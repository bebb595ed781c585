// The routes of the service on a cpp-httplib server: from its requests to a handler's Call and
// back, with what all routes have in common: errors as {"error": ...}, CORS, headers that browsers
// heed, measurements, and 404 and 405 for what is no route.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "service/api/exchange.h"
#include "service/api/metrics.h"
#include "service/http/cors.h"

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace dietmt::service {

/// The key of a request from `Authorization: Bearer`, `X-API-Key` or the query; empty: none there.
std::string api_key_of(const httplib::Request& request);

struct RouterSettings {
  std::vector<std::string> cors_origins = {};  // "*": all
  int64_t body_bytes = 4 * 1024 * 1024;
  /// Called in a handler's thread: what tells, in any thread, that its client has gone. May be
  /// empty.
  std::function<std::function<bool()>()> client_watch = nullptr;
  /// The key of a request to a path below /v1/ that is no route of this router; throws HttpError to
  /// refuse it. The server must read bodies before it routes, as HttpServer does.
  std::function<void(const std::string& key)> admit_others = nullptr;
};

struct Route {
  std::string method;  // GET or POST
  std::string path;
  Handler handler;
};

class Router {
 public:
  Router(RouterSettings settings, Metrics& metrics);

  void add(Route route) { routes_.push_back(std::move(route)); }
  const std::vector<Route>& routes() const { return routes_; }

  /// Registers the routes, and the server's handlers for errors, OPTIONS and what comes before
  /// routing. The router outlives the server.
  void install(httplib::Server& server);

  /// Calls `answer`, which fills the response and does not throw, and counts and times it as a
  /// request to `endpoint`. For routes of others; those of this router are measured anyway.
  void measure(const std::string& endpoint, const httplib::Response& response,
               const std::function<void()>& answer);

  /// Requests being measured.
  int64_t running() const { return running_; }

 private:
  void respond(const Route& route, Call call, httplib::Response& response);
  void allow_origin(const httplib::Request& request, httplib::Response& response) const;
  void answer_preflight(const httplib::Request& request, httplib::Response& response) const;
  bool refuse(const httplib::Request& request, httplib::Response& response) const;
  void describe_error(const httplib::Request& request, httplib::Response& response) const;

  const RouterSettings settings_;
  const CorsPolicy cors_;
  Metrics& metrics_;
  std::vector<Route> routes_;
  std::atomic<int64_t> running_{0};
};

}  // namespace dietmt::service
