#include "service/api/router.h"

#include <httplib.h>

#include <algorithm>
#include <cctype>
#include <chrono>

#include "service/http/request_fault.h"

namespace dietmt::service {
namespace {

using httplib::Request;
using httplib::Response;

// Of a header such as `text/html; charset=utf-8`, in lower case.
std::string media_type(const std::string& header) {
  std::string type = header.substr(0, header.find(';'));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  for (char& c : type) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return type;
}

Call call_of(const Request& request) {
  return {.content_type = media_type(request.get_header_value("Content-Type")),
          .body = "",
          .form = {},
          .key = api_key_of(request),
          .address = request.remote_addr,
          .client_gone = nullptr,
          .host = request.get_header_value("Host"),
          .origin = request.get_header_value("Origin")};
}

// Reads the body to its end, or the next request would be read out of the middle of it. Throws
// HttpError 413 for one beyond the limit, whose end is not kept.
void read_body(const Request& request, Response& response, const httplib::ContentReader& reader,
               int64_t limit, Call& call) {
  int64_t bytes = 0;
  const auto append = [&](std::string& to, const char* data, size_t length) {
    bytes += static_cast<int64_t>(length);
    if (bytes <= limit) to.append(data, length);
    return true;
  };
  const bool whole = request.is_multipart_form_data()
                         ? reader(
                               [&](const httplib::MultipartFormData& field) {
                                 if (call.form.size() < 100) call.form.emplace_back(field.name, "");
                                 return call.form.size() < 100;
                               },
                               [&](const char* data, size_t length) {
                                 return append(call.form.back().second, data, length);
                               })
                         : reader([&](const char* data, size_t length) {
                             return append(call.body, data, length);
                           });
  if (bytes > limit || response.status == 413)
    throw HttpError(413, "the body is longer than " + std::to_string(limit) + " bytes");
  if (!whole) throw HttpError(400, "the body could not be read");
}

void send(const Answer& answer, Response& response) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.headers) response.set_header(name, value);
  response.set_header("Cache-Control", "no-store");
  response.set_header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  response.set_content(answer.body, answer.type);
}

std::string text_of_status(int status) {
  switch (status) {
    case 400:
      return "the request is malformed";
    case 404:
      return "there is nothing at this path";
    case 413:
      return "the body is too large";
    case 414:
      return "the address is too long";
    case 416:
      return "the range cannot be served";
    case 503:
      return "the server is busy";
    default:
      return "status " + std::to_string(status);
  }
}

}  // namespace

std::string api_key_of(const httplib::Request& request) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string authorization = request.get_header_value("Authorization");
  if (authorization.starts_with(kBearer)) return authorization.substr(kBearer.size());
  if (request.has_header("X-API-Key")) return request.get_header_value("X-API-Key");
  return request.has_param("api_key") ? request.get_param_value("api_key") : "";
}

Router::Router(RouterSettings settings, Metrics& metrics)
    : settings_(std::move(settings)), cors_(settings_.cors_origins), metrics_(metrics) {}

void Router::install(httplib::Server& server) {
  for (const Route& route : routes_) {
    if (route.method == "GET") {
      server.Get(route.path, [this, &route](const Request& request, Response& response) {
        respond(route, call_of(request), response);
      });
      continue;
    }
    server.Post(route.path, [this, &route](const Request& request, Response& response,
                                           const httplib::ContentReader& reader) {
      Call call = call_of(request);
      try {
        read_body(request, response, reader, settings_.body_bytes, call);
      } catch (const HttpError& error) {
        send(error_answer(std::make_exception_ptr(error)), response);
        metrics_.count(route.path, error.status());
        return;
      }
      respond(route, std::move(call), response);
    });
  }
  server.Options(".*", [this](const Request& request, Response& response) {
    answer_preflight(request, response);
  });
  server.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                              {"X-Frame-Options", "DENY"},
                              {"Referrer-Policy", "no-referrer"}});
  server.set_pre_routing_handler([this](const Request& request, Response& response) {
    allow_origin(request, response);
    return refuse(request, response) ? httplib::Server::HandlerResponse::Handled
                                     : httplib::Server::HandlerResponse::Unhandled;
  });
  server.set_error_handler(
      [this](const Request& request, Response& response) { describe_error(request, response); });
}

void Router::respond(const Route& route, Call call, Response& response) {
  if (settings_.client_watch) call.client_gone = settings_.client_watch();
  measure(route.path, response, [&] {
    Answer answer;
    try {
      answer = route.handler(call);
    } catch (...) {
      answer = error_answer(std::current_exception());
    }
    send(answer, response);
  });
}

void Router::measure(const std::string& endpoint, const Response& response,
                     const std::function<void()>& answer) {
  ++running_;
  const auto start = std::chrono::steady_clock::now();
  answer();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  metrics_.answered(endpoint, response.status, elapsed.count());
  --running_;
}

void Router::allow_origin(const Request& request, Response& response) const {
  for (const auto& [name, value] : cors_.fields(request.get_header_value("Origin")))
    response.set_header(name, value);
}

void Router::answer_preflight(const Request& request, Response& response) const {
  response.status = 204;
  if (!request.has_header("Access-Control-Request-Method")) return;
  if (!response.has_header("Access-Control-Allow-Origin")) return;
  response.set_header("Access-Control-Allow-Methods", "GET, POST, DELETE");
  response.set_header("Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key");
  response.set_header("Access-Control-Max-Age", "3600");
}

bool Router::refuse(const Request& request, Response& response) const {
  const bool other = request.method != "OPTIONS" && request.path.starts_with("/v1/") &&
                     std::none_of(routes_.begin(), routes_.end(),
                                  [&](const Route& route) { return route.path == request.path; });
  if (!other || !settings_.admit_others) return false;
  try {
    settings_.admit_others(api_key_of(request));
    return false;
  } catch (const HttpError&) {
    send(error_answer(std::current_exception()), response);
    metrics_.count("other", response.status);
    return true;
  }
}

// Of an answer that no handler has written.
void Router::describe_error(const Request& request, Response& response) const {
  if (!response.body.empty()) return;
  const auto route = std::find_if(routes_.begin(), routes_.end(),
                                  [&](const Route& one) { return one.path == request.path; });
  if (response.status == 404 && route != routes_.end()) {
    response.status = 405;
    response.set_header("Allow", route->method);
  }
  const std::string text =
      response.status == 405 ? "this path takes " + route->method : text_of_status(response.status);
  metrics_.count("other", response.status);
  send({.status = response.status, .body = error_body(text)}, response);
}

}  // namespace dietmt::service
