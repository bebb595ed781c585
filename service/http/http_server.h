// The HTTP/1.1 server of the service, on Boost.Asio and Boost.Beast. One thread holds all
// connections. It reads a request completely, within limits of size and time, before a handler
// thread sees it. So a slow or silent client costs a file descriptor and less than a kilobyte.
//
//   HttpServer server({.max_body_below = {{"/v1/jobs", 1 << 30}}}, handler);
//   const int port = server.listen("127.0.0.1", 0);
//   ...
//   server.drain(std::chrono::seconds(30));
//
// HttpHandler::lane() names the requests, such as probes, for which one more thread is reserved.
//
// The server answers errors before the handler (400, 408, 413, 414, 415, 417, 431, 501, 503 with
// Retry-After, 505, 507) and exceptions of the handler (500) as JSON, {"error": "..."}.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "service/http/http_options.h"
#include "service/http/message.h"

namespace dietmt::service {

class HttpServer {
 public:
  /// `handler` outlives the server. Throws ConfigError for unusable TLS files.
  HttpServer(HttpOptions options, HttpHandler& handler);
  /// Closes all connections and waits for running handlers.
  ~HttpServer();

  /// Starts to serve and returns the port; `port` 0: any free one. Called once. Throws ConfigError
  /// if the address cannot be used. Raises the process's limit of open files, warns if it is too
  /// low for the connections, and ignores SIGPIPE.
  int listen(const std::string& host, int port);

  /// Refuses new connections; open ones stay.
  void stop_accepting();

  /// Also closes idle connections and accepts no new request, but answers those that have begun to
  /// arrive. Waits at most `patience`; true if all are answered.
  bool drain(std::chrono::milliseconds patience);

  /// Reloads the TLS files for new connections. Throws ConfigError if they cannot be used, and
  /// keeps the old certificate.
  void reload_certificate();

  HttpCounters counters() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dietmt::service
