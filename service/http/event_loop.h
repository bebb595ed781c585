// The thread that does all network input and output.
#pragma once

#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "service/http/connection.h"

namespace dietmt::service {

class EventLoop {
 public:
  /// `options` and `handler` outlive the loop. `submit` hands a request to a handler thread and
  /// returns false if too many are waiting. Throws ConfigError for unusable TLS files.
  EventLoop(const HttpOptions& options, HttpHandler& handler,
            std::function<bool(std::shared_ptr<Exchange>)> submit);
  ~EventLoop() { stop(); }

  /// Starts the thread; returns the port. Called once. Throws ConfigError.
  int listen(const std::string& host, int port);

  /// Closes the listening socket; connections stay open.
  void stop_accepting();

  /// stop_accepting(), then closes idle connections now and others after their answers. Waits up to
  /// `patience` and returns whether all are closed.
  bool drain(std::chrono::milliseconds patience);

  /// Reloads the TLS files for new connections. If they are unusable, throws ConfigError and keeps
  /// the old certificate.
  void reload_certificate();

  /// Closes everything and ends the thread.
  void stop();

  CounterBoard& counters() { return counters_; }

 private:
  using Tcp = boost::asio::ip::tcp;

  void await_clients();
  void accept_clients();
  bool accept_client();
  void add_client(Transport::Socket socket, std::string address);
  bool make_room();
  void begin_drain();
  void check_drained();
  void start_clock();
  void look_at_clock();

  CounterBoard counters_;
  ConnectionServices services_;
  std::shared_ptr<boost::asio::ssl::context> tls_;  // for the loop's thread
  boost::asio::basic_socket_acceptor<Tcp, boost::asio::io_context::executor_type> acceptor_;
  boost::asio::steady_timer clock_;
  bool clock_runs_ = false;
  bool out_of_files_ = false;  // pauses accepting until the next tick
  int64_t max_connections_ = 0;
  std::promise<void> drained_;
  std::shared_future<void> is_drained_ = drained_.get_future().share();
  bool draining_ = false;
  std::thread thread_;
};

}  // namespace dietmt::service
