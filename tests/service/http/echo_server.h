// A server with a few handlers for tests.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "service/http/http_server.h"
#include "service/http/message.h"

namespace dietmt::service {

inline std::string content(const SpooledBytes& body) {
  std::string bytes(body.size(), '\0');
  bytes.resize(body.read(0, bytes.data(), bytes.size()));
  return bytes;
}

/// Answers by method and path; 404 if it has no handler.
class HandlerTable : public HttpHandler {
 public:
  using Handler = std::function<Answer(const HttpRequest&)>;

  void add(const std::string& method, const std::string& path, Handler handler) {
    handlers_[method + " " + path] = std::move(handler);
  }

  /// The field X-Client names the client; /probe uses the reserved lane.
  Lane lane(const HttpRequest& request) override {
    return {.is_reserved = request.head.path == "/probe", .client = request.head.field("X-Client")};
  }

  Answer answer(const HttpRequest& request) override {
    const std::string method = request.head.method == "HEAD" ? "GET" : request.head.method;
    const auto found = handlers_.find(method + " " + request.head.path);
    return found == handlers_.end() ? fault_answer(404, "nothing here") : found->second(request);
  }

 private:
  std::map<std::string, Handler> handlers_;
};

/// GET /hello answers "hello", POST /echo the body.
class EchoServer : public HandlerTable, public HttpServer {
 public:
  explicit EchoServer(HttpOptions options = {}) : HttpServer(std::move(options), *this) {
    add("GET", "/hello",
        [](const HttpRequest&) { return Answer{.body = "hello", .type = "text/plain"}; });
    add("POST", "/echo", [](const HttpRequest& request) {
      return Answer{.body = content(*request.body), .type = "application/octet-stream"};
    });
  }

  int start() { return listen("127.0.0.1", 0); }
};

}  // namespace dietmt::service
