// A server with a few handlers to test with.
#pragma once

#include <string>
#include <utility>

#include "service/http/http_server.h"

namespace dietmt::service {

/// GET /hello answers "hello", POST /echo the body.
class EchoServer : public HttpServer {
 public:
  explicit EchoServer(HttpOptions options = {}) : HttpServer(std::move(options)) {
    Get("/hello", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("hello", "text/plain");
    });
    Post("/echo", [](const httplib::Request& request, httplib::Response& response) {
      response.set_content(request.body, "application/octet-stream");
    });
  }

  int start() { return listen("127.0.0.1", 0); }
};

}  // namespace dietmt::service
