// An HTTP/1.1 server on Boost.Asio and Boost.Beast. One thread serves all connections and reads
// each request completely, within limits on size and time, before a handler thread sees it. A slow
// or silent client costs only a file descriptor and less than a kilobyte.
//
//   HttpServer server({.max_body_below = {{"/v1/jobs", 1 << 30}}}, handler);
//   const int port = server.listen("127.0.0.1", 0);
//   ...
//   server.drain(std::chrono::seconds(30));
//
// An extra thread is reserved for the requests that HttpHandler::lane() selects, such as probes.
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

  /// Starts serving and returns the port; `port` 0: any free port. Call it once. Throws ConfigError
  /// if the address cannot be used. Raises the process's limit on open files, warns if it is too
  /// low for the connections, and ignores SIGPIPE.
  int listen(const std::string& host, int port);

  /// Refuses new connections; open ones stay.
  void stop_accepting();

  /// stop_accepting(), then closes idle connections and answers the requests that have begun to
  /// arrive. Waits up to `patience` and returns whether all were answered.
  bool drain(std::chrono::milliseconds patience);

  /// Reloads the TLS files for new connections. If they are unusable, throws ConfigError and keeps
  /// the old certificate.
  void reload_certificate();

  HttpCounters counters() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dietmt::service
