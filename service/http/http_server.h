// The HTTP/1.1 server of the service. Parsing, routing and response writing are cpp-httplib's;
// connections are ours: one event loop reads every request completely, within limits of size and
// time, before a handler thread sees it, so that slow, silent and vanishing clients cost a file
// descriptor and a few kilobytes.
//
//   HttpServer server({.max_body_below = {{"/v1/jobs", 1 << 30}}});
//   server.Post("/translate", [](const httplib::Request& in, httplib::Response& out) { ... });
//   const int port = server.listen("127.0.0.1", 0);
//   ...
//   server.drain(std::chrono::seconds(30));
//
// Errors that no handler sees are answered as JSON, {"error": "..."}: 400, 408, 413, 414, 415, 417,
// 431, 501, 503 with Retry-After, 505. So are exceptions of handlers (500) and unknown paths (404),
// unless set_exception_handler() or set_error_handler() say otherwise.
#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "service/http/event_loop.h"
#include "service/http/handler_threads.h"
#include "service/http/http_options.h"

namespace dietmt::service {

/// Handlers are registered before listen() and run in parallel. Of httplib::Server's members, those
/// about sockets, listening and timeouts have no effect here.
class HttpServer : public httplib::Server {
 public:
  /// Throws ConfigError for TLS files that cannot be used.
  explicit HttpServer(HttpOptions options);
  /// Closes all connections and waits for the handlers that run.
  ~HttpServer() override;

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
  /// ConfigError where they cannot be used: the old certificate serves on.
  void reload_certificate() { loop_.reload_certificate(); }

  HttpCounters counters() const { return counters_.snapshot(); }

  /// Becomes true once the client of the request that the calling thread handles has closed its
  /// side, and probably waits no more. May be kept and read anywhere. Never null: outside of a
  /// handler it stays false.
  static std::shared_ptr<const std::atomic<bool>> client_gone();

  /// The body of the request that the calling thread handles, as it came: for handlers that want
  /// its file and not its bytes. Null outside of a handler.
  static const SpooledBytes* request_body();

 private:
  bool submit(std::shared_ptr<Exchange> exchange);
  void handle(Exchange& exchange);

  const HttpOptions options_;
  CounterBoard counters_;
  SpoolBudget budget_;
  std::atomic<bool> draining_ = false;
  EventLoop loop_;
  std::optional<HandlerThreads> threads_;
};

}  // namespace dietmt::service
