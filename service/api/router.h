// Dispatches requests to the handlers of routes, whose paths may end in a slash. Checks API keys
// and limits, adds CORS and security headers, records metrics, turns errors into {"error": ...} and
// answers 404 and 405.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/api/call.h"
#include "service/api/host_check.h"
#include "service/api/metrics.h"
#include "service/http/message.h"

namespace dietmt::service {

/// Whether a route needs an API key if the server has keys: in a header, in the query, or as the
/// field `api_key` of JSON or a form.
enum class Key { kRequired, kNone };

struct Route {
  std::string method;  // GET, POST, PUT, PATCH or DELETE
  std::string path;    // one part may be a placeholder: /v1/jobs/{id}
  Handler handler;
  Key key = Key::kRequired;
  bool is_upload = false;      // the handler reads the body from call.request
  bool is_probe = false;       // answered by the reserved thread, whatever the load
  ErrorBody errors = nullptr;  // null: {"error": message}
};

struct RouterSettings {
  std::vector<std::string> cors_origins = {};   // "*": all
  std::vector<std::string> allowed_hosts = {};  // without keys (host_check.h); "*": all
  bool checks_hosts = true;                     // of requests without a key
  int64_t body_bytes = 4 * 1024 * 1024;         // except uploads
  /// Throws HttpError to refuse a request with this key. Empty: none is refused.
  std::function<void(const std::string& key, const std::string& address)> admit = nullptr;
  /// The client whose share of threads and turns a request uses. Empty: its address.
  std::function<std::string(const std::string& key, const std::string& address)> client = nullptr;
  std::chrono::milliseconds deadline{0};  // for each request, from its arrival; 0: none
  /// The name of a key for the access log; empty if unknown.
  std::function<std::string(const std::string& key)> name_of = nullptr;
  /// In front of all paths, which also work without it: "/translate-api". Empty: none.
  std::string url_prefix = {};
  /// Path prefixes that other options would enable, with the message for clients: {"/v1/jobs",
  /// ...}.
  Pairs absent = {};
};

class Router final : public HttpHandler {
 public:
  Router(RouterSettings settings, Metrics& metrics);

  /// Call before the server listens.
  void add(Route route) { routes_.push_back(std::move(route)); }
  const std::vector<Route>& routes() const { return routes_; }

  /// Refuses unknown routes, and requests without the key they need unless the body may contain it.
  /// Without keys, refuses hosts and pages that HostCheck does not allow.
  Admission admit(const RequestHead& head, const std::string& client) override;
  Lane lane(const HttpRequest& request) override;
  Answer answer(const HttpRequest& request) override;

  /// Requests being answered.
  int64_t running() const { return running_; }

 private:
  std::string client_of(const HttpRequest& request) const;
  std::string_view prefix_of(std::string_view path) const;
  std::string_view route_path(const RequestHead& head) const;
  const Route* find(const RequestHead& head) const;
  std::optional<Answer> redirection(const RequestHead& head) const;
  void refuse_unknown(const RequestHead& head) const;
  Answer answer_of(const Route& route, const HttpRequest& request) const;
  Answer preflight(const RequestHead& head) const;
  void complete(Answer& answer, const RequestHead& head) const;

  const RouterSettings settings_;
  const CorsPolicy cors_;
  const HostCheck hosts_;
  Metrics& metrics_;
  std::vector<Route> routes_;
  std::atomic<int64_t> running_{0};
};

}  // namespace dietmt::service
