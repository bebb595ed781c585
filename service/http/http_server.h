// The HTTP/1.1 server of the service, on Boost.Asio and Boost.Beast. One thread holds all
// connections and reads every request completely, within limits of size and time, before a handler
// thread sees it, so that slow, silent and vanishing clients cost a file descriptor and less than a
// kilobyte.
//
//   HttpServer server({.max_body_below = {{"/v1/jobs", 1 << 30}}}, handler);
//   const int port = server.listen("127.0.0.1", 0);
//   ...
//   server.drain(std::chrono::seconds(30));
//
// Errors that no handler sees are answered as JSON, {"error": "..."}: 400, 408, 413, 414, 415, 417,
// 431, 501, 503 with Retry-After, 505, 507. So are exceptions of the handler (500).
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "service/http/http_options.h"
#include "service/http/message.h"

namespace dietmt::service {

class HttpServer {
 public:
  /// `handler` outlives the server. Throws ConfigError for TLS files that cannot be used.
  HttpServer(HttpOptions options, HttpHandler& handler);
  /// Closes all connections and waits for the handlers that run.
  ~HttpServer();

  /// Begins to serve and returns the port; `port` 0: one that is free. Called once. Throws
  /// ConfigError if the address cannot be used. Raises the process's limit of open files and warns
  /// if it is too low for the connections; ignores SIGPIPE.
  int listen(const std::string& host, int port);

  /// New connections are refused; those that are open live on.
  void stop_accepting();

  /// Also closes idle connections and takes no new request, while those that have begun to arrive
  /// are answered. True if that was done after at most `patience`.
  bool drain(std::chrono::milliseconds patience);

  /// Reads the TLS files anew; connections that are open keep what they began with. Throws
  /// ConfigError if they cannot be used: the old certificate serves on.
  void reload_certificate();

  HttpCounters counters() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dietmt::service
