#include "service/http/event_loop.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>
#include <utility>

#include "common/error.h"
#include "common/system.h"

namespace dietmt::service {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr size_t kScratchBytes = 64 << 10;
constexpr int kAcceptsPerEvent = 64;
constexpr int64_t kThreadsPerWaiter = 4;  // a quarter of the threads may wait for slow clients
constexpr std::chrono::milliseconds kClockInterval{100};
// Reserve for models, queues, logs and standard streams.
constexpr int64_t kOtherFiles = 128;

// Raises the limit on open files as far as allowed; warns if it is too low for the connections.
int64_t allowed_connections(int64_t wanted, int64_t handler_threads) {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const int64_t files = static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, INT32_MAX));
  // One file per handler; spooled bodies count as connections.
  const int64_t fitting = std::max<int64_t>(files - kOtherFiles - handler_threads, 1);
  if (fitting >= wanted) return wanted;
  spdlog::warn(
      "The limit of open files is {}, which leaves room for {} connections instead of {}. Raise "
      "the hard limit (ulimit -Hn; systemd: LimitNOFILE=) to {}.",
      files, fitting, wanted, wanted + kOtherFiles + handler_threads);
  return fitting;
}

}  // namespace

EventLoop::EventLoop(const HttpOptions& options, HttpHandler& handler,
                     std::function<bool(std::shared_ptr<Exchange>)> submit)
    : services_{.options = options,
                .handler = handler,
                .counters = counters_,
                .budget = {options.body_memory, options.all_bodies_memory, options.all_bodies_disk,
                           options.spool_directory},
                .limits = {options.max_head, options.max_body, options.max_body_below,
                           options.large_body_advice},
                .cors = CorsPolicy(options.cors_origins),
                .output = {options.output_buffer, options.handler_threads / kThreadsPerWaiter,
                           services_.budget},
                .scratch = std::vector<char>(kScratchBytes),
                .busy = {},
                .idle = {},
                .submit = std::move(submit),
                .moved = [this] { check_drained(); }},
      tls_(make_tls_context(options.certificate_file, options.key_file)),
      acceptor_(services_.context),
      clock_(services_.context) {}

int EventLoop::listen(const std::string& host, int port) {
  // OpenSSL writes to sockets without MSG_NOSIGNAL.
  std::signal(SIGPIPE, SIG_IGN);
  const std::string failure = "Cannot listen on " + host + " port " + std::to_string(port) + ": ";
  if (port < 0 || port > 65535) throw ConfigError(failure + "a port is a number from 0 to 65535.");
  max_connections_ =
      allowed_connections(services_.options.max_connections, services_.options.handler_threads);
  error_code error;
  Tcp::resolver resolver(services_.context);
  for (const auto& found :
       resolver.resolve(host, std::to_string(port), Tcp::resolver::passive, error)) {
    acceptor_.close(error);
    acceptor_.open(found.endpoint().protocol(), error);
    ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
    if (!error) acceptor_.set_option(Tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(found.endpoint(), error);
    if (!error) acceptor_.listen(SOMAXCONN, error);
    if (!error) acceptor_.non_blocking(true, error);
    if (!error) break;
  }
  if (error) throw ConfigError(failure + error.message() + ".");
  await_clients();
  thread_ = std::thread([this] {
    const auto work = asio::make_work_guard(services_.context);
    services_.context.run();
  });
  return acceptor_.local_endpoint().port();
}

void EventLoop::stop_accepting() {
  asio::post(services_.context, [this] { acceptor_.close(); });
}

bool EventLoop::drain(std::chrono::milliseconds patience) {
  if (!thread_.joinable()) return true;
  asio::post(services_.context, [this] { begin_drain(); });
  return is_drained_.wait_for(patience) == std::future_status::ready;
}

void EventLoop::begin_drain() {
  if (std::exchange(draining_, true)) return;
  acceptor_.close();
  for (Connections* list : {&services_.idle, &services_.busy})
    for (const auto& connection : Connections(*list)) connection->drain();
  check_drained();
}

// Connections left in the idle list are lingering.
void EventLoop::check_drained() {
  if (draining_ && services_.busy.empty() &&
      is_drained_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    drained_.set_value();
}

void EventLoop::reload_certificate() {
  auto fresh = make_tls_context(services_.options.certificate_file, services_.options.key_file);
  asio::post(services_.context, [this, fresh] { tls_ = fresh; });
}

void EventLoop::stop() {
  if (!thread_.joinable()) return;
  services_.context.stop();
  thread_.join();
  for (Connections* list : {&services_.idle, &services_.busy})
    for (const auto& connection : Connections(*list)) connection->close();
  acceptor_.close();
}

void EventLoop::await_clients() {
  acceptor_.async_wait(acceptor_.wait_read, [this](const error_code& error) {
    if (error) return;
    accept_clients();
    if (acceptor_.is_open() && !out_of_files_) await_clients();
  });
}

void EventLoop::accept_clients() {
  for (int i = 0; i < kAcceptsPerEvent && acceptor_.is_open() && accept_client(); ++i) {
  }
}

// False if there is no client to accept, or no file descriptor for one.
bool EventLoop::accept_client() {
  Tcp::endpoint client;
  socklen_t size = static_cast<socklen_t>(client.capacity());
  const int file =
      accept_connection(acceptor_.native_handle(), client.data(), &size, Waiting::kNever);
  if (file < 0) {
    const bool none = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
    // Retry at the next tick instead of spinning.
    if (!none && !make_room()) {
      out_of_files_ = true;
      start_clock();
    }
    return false;
  }
  client.resize(size);
  const int on = 1;
  ::setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  Transport::Socket socket(services_.context);
  error_code error;
  socket.assign(client.protocol(), file, error);
  if (error) ::close(file);
  if (!error) add_client(std::move(socket), client.address().to_string());
  return true;
}

void EventLoop::add_client(Transport::Socket socket, std::string address) {
  if (static_cast<int64_t>(services_.busy.size() + services_.idle.size()) >= max_connections_ &&
      !make_room())
    return counters_.add(&HttpCounters::refused);
  counters_.add(&HttpCounters::accepted_connections);
  try {
    std::make_shared<Connection>(Transport(std::move(socket), tls_.get()), std::move(address),
                                 services_)
        ->start();
  } catch (const std::exception& error) {
    spdlog::error("Cannot accept a connection: {}", error.what());
  }
  start_clock();
}

// Closes the longest-idle connection; false if none is idle.
bool EventLoop::make_room() {
  if (services_.idle.empty()) return false;
  counters_.add(&HttpCounters::evicted);
  services_.idle.front()->close();
  return true;
}

void EventLoop::start_clock() {
  if (std::exchange(clock_runs_, true)) return;
  clock_.expires_after(kClockInterval);
  clock_.async_wait([this](const error_code& error) {
    if (!error) look_at_clock();
  });
}

void EventLoop::look_at_clock() {
  const auto now = Connection::Clock::now();
  for (Connections* list : {&services_.busy, &services_.idle}) {
    for (auto at = list->begin(); at != list->end();) {
      const std::shared_ptr<Connection> connection = *at++;  // look_at_clock() may move it
      connection->look_at_clock(now);
    }
  }
  if (std::exchange(out_of_files_, false) && acceptor_.is_open()) await_clients();
  clock_runs_ = false;
  if (!services_.busy.empty() || !services_.idle.empty()) start_clock();
}

}  // namespace dietmt::service
