#include "service/api/router.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <cctype>
#include <chrono>
#include <optional>

#include "common/logging.h"
#include "service/api/fields.h"
#include "service/http/form_reader.h"
#include "service/http/url.h"

namespace dietmt::service {
namespace {

constexpr size_t kLongestPathPart = 64;
constexpr size_t kLongestKey = 4096;

// The part of `path` at the route's placeholder; "" if the route has none. Nullopt if the path does
// not match.
std::optional<std::string> match(std::string_view route, std::string_view path) {
  const size_t begin = route.find('{');
  if (begin == route.npos) return route == path ? std::optional("") : std::nullopt;
  const std::string_view end = route.substr(route.find('}') + 1);
  if (!path.starts_with(route.substr(0, begin))) return std::nullopt;
  std::string_view part = path.substr(begin);
  if (!part.ends_with(end)) return std::nullopt;
  part.remove_suffix(end.size());
  const bool is_name =
      !part.empty() && part.size() <= kLongestPathPart &&
      std::all_of(part.begin(), part.end(), [](unsigned char c) {
        return c < 0x80 && (std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_');
      });
  return is_name ? std::optional<std::string>(part) : std::nullopt;
}

// HEAD is GET without the body of the answer.
bool takes(const Route& route, const std::string& method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

// The rest of `Authorization` after one of the schemes that carry keys; "" for others.
std::string key_in_authorization(const std::string& authorization) {
  for (const std::string_view scheme : {"bearer ", "deepl-auth-key "}) {
    const boost::beast::string_view begin(authorization.data(),
                                          std::min(authorization.size(), scheme.size()));
    if (!boost::beast::iequals(begin, {scheme.data(), scheme.size()})) continue;
    const size_t key = authorization.find_first_not_of(' ', scheme.size());
    return authorization.substr(std::min(key, authorization.size()));
  }
  return "";
}

// Clients of different services send the key under different names: X-API-Key and api_key are
// LibreTranslate's, X-goog-api-key and `key` Google's, KEY and `token` MTranServer's.
std::string api_key_of(const RequestHead& head) {
  if (std::string key = key_in_authorization(head.field("Authorization")); !key.empty()) return key;
  for (const char* field : {"X-API-Key", "X-goog-api-key", "KEY"})
    if (const std::string& key = head.field(field); !key.empty()) return key;
  for (const auto& [name, value] : query_of(head.target))
    if (name == "api_key" || name == "key" || name == "token") return value;
  return "";
}

// Throws HttpError 413 for a body over the limit.
void read_body(const HttpRequest& request, int64_t limit, Call& call) {
  const uint64_t size = request.body->size();
  if (size > static_cast<uint64_t>(limit))
    throw HttpError(413, "the body is longer than " + std::to_string(limit) + " bytes");
  if (is_form(request.head)) {
    call.form = read_form(request, size, {.begin = [](const FormPart&) { return PartUse::kKeep; }});
    return;
  }
  call.body.resize(size);
  request.body->read(0, call.body.data(), size);
}

bool may_have_fields(const RequestHead& head) {
  const std::string type = media_type(head.field("Content-Type"));
  return head.has_body() && (type == "application/json" || type == "multipart/form-data" ||
                             type == "application/x-www-form-urlencoded");
}

// The field `api_key` of an upload or of a body that was read; "" if there is none.
std::string key_in_body(const Call& call, bool is_upload) {
  if (!is_upload) return Fields(call).text_or("api_key", "");
  if (!is_form(call.request->head)) return "";
  const Pairs keys = read_form(*call.request, kLongestKey, {.begin = [](const FormPart& part) {
    return part.name == "api_key" ? PartUse::kKeep : PartUse::kSkip;
  }});
  return keys.empty() ? "" : keys.front().second;
}

std::string reason_of_absence(std::string_view path, const Pairs& absent) {
  for (const auto& [known, reason] : absent)
    if (path == known || path.starts_with(known + "/")) return reason;
  return "there is no such path";
}

}  // namespace

Router::Router(RouterSettings settings, Metrics& metrics)
    : settings_(std::move(settings)),
      cors_(settings_.cors_origins),
      hosts_(settings_.allowed_hosts, cors_),
      metrics_(metrics) {}

// "" if the path does not begin with the server's prefix.
std::string_view Router::prefix_of(std::string_view path) const {
  const std::string& prefix = settings_.url_prefix;
  const bool has_it =
      path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
  return has_it ? std::string_view(prefix) : "";
}

// The request's path as routes have it.
std::string_view Router::route_path(const RequestHead& head) const {
  std::string_view path = head.path;
  path.remove_prefix(prefix_of(path).size());
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path.empty() ? "/" : path;
}

const Route* Router::find(const RequestHead& head) const {
  const std::string_view path = route_path(head);
  for (const Route& route : routes_)
    if (takes(route, head.method) && match(route.path, path)) return &route;
  return nullptr;
}

// A browser resolves the addresses in the server's page against its path, so this needs its slash.
std::optional<Answer> Router::redirection(const RequestHead& head) const {
  if (settings_.url_prefix.empty() || head.path != settings_.url_prefix) return std::nullopt;
  return Answer{.status = 308, .headers = {{"Location", settings_.url_prefix + "/"}}};
}

Admission Router::admit(const RequestHead& head, const std::string& client) {
  const Route* const route = find(head);
  try {
    if (settings_.checks_hosts && api_key_of(head).empty()) hosts_.check(head);
    if (head.method == "OPTIONS") return {.may_spool = !settings_.admit};
    if (std::optional<Answer> answer = redirection(head)) return {.refusal = std::move(answer)};
    const std::string key = api_key_of(head);
    const bool is_needed =
        route != nullptr ? route->key == Key::kRequired : route_path(head).starts_with("/v1/");
    const bool comes_later = route != nullptr && key.empty() && may_have_fields(head);
    if (settings_.admit && is_needed && !comes_later) settings_.admit(key, client);
    if (route == nullptr) refuse_unknown(head);
    // Without a key, a client must not fill the disk.
    return {.may_spool = !settings_.admit || (is_needed && !comes_later)};
  } catch (const HttpError& error) {
    spdlog::debug("{} {}: refused: {}", head.method, head.logged_path(), error.what());
    const ErrorBody& form = route != nullptr ? route->errors : nullptr;
    Answer refusal = error_answer(std::current_exception(), form);
    metrics_.count(route != nullptr ? route->path : "other", error.status());
    complete(refusal, head);
    return {.refusal = std::move(refusal)};
  }
}

Lane Router::lane(const HttpRequest& request) {
  const Route* const route = find(request.head);
  if (route != nullptr && route->is_probe) return {.is_reserved = true};
  return {.client = client_of(request)};
}

std::string Router::client_of(const HttpRequest& request) const {
  if (!settings_.client) return request.client;
  return settings_.client(api_key_of(request.head), request.client);
}

void Router::refuse_unknown(const RequestHead& head) const {
  const std::string_view path = route_path(head);
  std::string methods;
  for (const Route& route : routes_)
    if (match(route.path, path)) methods += (methods.empty() ? "" : ", ") + route.method;
  if (methods.empty()) throw HttpError(404, reason_of_absence(path, settings_.absent));
  throw HttpError(405, "this path takes " + methods).with_header("Allow", methods);
}

Answer Router::answer(const HttpRequest& request) {
  Answer answer;
  if (request.head.method == "OPTIONS") {
    answer = preflight(request.head);
  } else {
    const Route& route = *find(request.head);
    if (const std::string key = api_key_of(request.head); settings_.name_of && !key.empty())
      LogRequest::set_user(settings_.name_of(key));
    ++running_;
    const auto start = std::chrono::steady_clock::now();
    answer = answer_of(route, request);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    metrics_.answered(route.path, answer.status, elapsed.count());
    --running_;
  }
  complete(answer, request.head);
  return answer;
}

Answer Router::answer_of(const Route& route, const HttpRequest& request) const {
  const RequestHead& head = request.head;
  try {
    Call call = {.content_type = media_type(head.field("Content-Type")),
                 .body = "",
                 .form = {},
                 .key = api_key_of(head),
                 .address = request.client,
                 .client_gone = [gone = request.client_gone] { return gone->load(); },
                 .host = head.field("Host"),
                 .origin = head.field("Origin"),
                 .query = query_of(head.target),
                 .path_part = *match(route.path, route_path(head)),
                 .url_prefix = std::string(prefix_of(head.path)),
                 .request = &request,
                 .client = client_of(request)};
    if (settings_.deadline.count() > 0) call.deadline = request.arrived + settings_.deadline;
    if (!route.is_upload) read_body(request, settings_.body_bytes, call);
    if (settings_.admit && route.key == Key::kRequired && call.key.empty() &&
        may_have_fields(head)) {
      call.key = key_in_body(call, route.is_upload);
      settings_.admit(call.key, call.address);
    }
    return route.handler(call);
  } catch (...) {
    return error_answer(std::current_exception(), route.errors);
  }
}

Answer Router::preflight(const RequestHead& head) const {
  Answer answer{.status = 204};
  if (head.field("Access-Control-Request-Method").empty()) return answer;
  if (cors_.fields(head.field("Origin")).size() < 2) return answer;
  answer.headers = {
      {"Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE"},
      {"Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key, X-Request-ID"},
      {"Access-Control-Max-Age", "3600"}};
  return answer;
}

// Adds the common header fields that the handler has not set.
void Router::complete(Answer& answer, const RequestHead& head) const {
  Pairs common = cors_.fields(head.field("Origin"));
  common.insert(common.end(),
                {{"X-Content-Type-Options", "nosniff"},
                 {"X-Frame-Options", "DENY"},
                 {"Referrer-Policy", "no-referrer"},
                 {"Cache-Control", "no-store"},
                 {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"}});
  for (auto& field : common) {
    const auto is_it = [&](const auto& own) { return own.first == field.first; };
    if (std::none_of(answer.headers.begin(), answer.headers.end(), is_it))
      answer.headers.push_back(std::move(field));
  }
}

}  // namespace dietmt::service
