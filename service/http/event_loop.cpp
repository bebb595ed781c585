#include "service/http/event_loop.h"

#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "common/error.h"

namespace dietmt::service {
namespace {

constexpr uint64_t kListenerId = 0;
constexpr uint64_t kSignalId = 1;
constexpr uint64_t kFirstConnectionId = 2;
constexpr size_t kScratchBytes = 64 << 10;
constexpr int kAcceptsPerEvent = 64;
constexpr int64_t kThreadsPerWaiter = 4;  // one in so many may wait for a client to read
constexpr std::chrono::milliseconds kClockInterval{100};

}  // namespace

// Of the connections that satisfy the condition: acting on one may remove it.
template <typename Condition>
std::vector<uint64_t> EventLoop::ids_of(Condition condition) const {
  std::vector<uint64_t> ids;
  for (const auto& [id, entry] : connections_) {
    if (condition(*entry.connection)) ids.push_back(id);
  }
  return ids;
}

template <typename Action>
void EventLoop::with_connection(uint64_t id, Action action) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  try {
    action(*found->second.connection);
    settle(id, found->second);
  } catch (const std::exception& error) {
    // Out of memory, say: one client pays, the others are served.
    spdlog::error("A connection was closed: {}", error.what());
    remove(id);
  }
}

EventLoop::EventLoop(const HttpOptions& options, SpoolBudget& budget, CounterBoard& counters,
                     std::function<bool(std::shared_ptr<Exchange>)> submit)
    : options_(options),
      counters_(counters),
      limits_{options.max_head, options.max_body, options.max_body_below},
      cors_(options.cors_origins),
      output_{options.output_buffer, options.handler_threads / kThreadsPerWaiter, budget},
      transports_(options.certificate_file, options.key_file),
      scratch_(kScratchBytes),
      services_{.options = options_,
                .limits = limits_,
                .cors = cors_,
                .budget = budget,
                .output = output_,
                .counters = counters_,
                .scratch = scratch_,
                .server = {},
                .submit = std::move(submit),
                .wake = [this](uint64_t id) { wake(id); }},
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      signal_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      next_id_(kFirstConnectionId) {
  if (!epoll_.valid() || !signal_.valid()) {
    throw Error(std::string("The event loop cannot be made: ") + std::strerror(errno) + ".");
  }
  watch(EPOLL_CTL_ADD, signal_.number(), kSignalId, EPOLLIN);
}

EventLoop::~EventLoop() { stop(); }

int EventLoop::listen(const std::string& host, int port) {
  // OpenSSL writes to sockets without MSG_NOSIGNAL.
  std::signal(SIGPIPE, SIG_IGN);
  max_connections_ = allowed_connections(options_.max_connections, options_.handler_threads);
  listener_ = open_listener(host, port);
  services_.server = listener_.endpoint;
  watch(EPOLL_CTL_ADD, listener_.socket.number(), kListenerId, EPOLLIN);
  thread_ = std::thread([this] { run(); });
  return listener_.endpoint.port;
}

bool EventLoop::drain(std::chrono::milliseconds patience) {
  order(drain_);
  if (!thread_.joinable()) return true;
  std::unique_lock lock(mutex_);
  return drained_.wait_for(lock, patience, [&] { return is_drained_; });
}

void EventLoop::stop() {
  if (!thread_.joinable()) return;
  order(stop_);
  thread_.join();
  idle_.clear();
  connections_.clear();
  listener_ = {};
}

void EventLoop::wake(uint64_t connection) {
  const std::lock_guard lock(mutex_);
  woken_.push_back(connection);
  if (woken_.size() == 1) signal();
}

void EventLoop::signal() {
  // Fails only while the counter is full, when the loop is awake anyway.
  (void)::eventfd_write(signal_.number(), 1);
}

void EventLoop::run() {
  std::array<epoll_event, 256> events;
  while (!stop_) {
    const int timeout =
        connections_.empty() && !listener_paused_ ? -1 : static_cast<int>(kClockInterval.count());
    const int n = ::epoll_wait(epoll_.number(), events.data(), events.size(), timeout);
    handle({events.data(), static_cast<size_t>(std::max(n, 0))});
    std::vector<uint64_t> woken;
    {
      const std::lock_guard lock(mutex_);
      woken.swap(woken_);
    }
    for (const uint64_t id : woken) {
      with_connection(id, [](Connection& connection) { connection.on_output(); });
    }
    obey_orders();
    look_at_clock();
  }
}

void EventLoop::handle(std::span<const epoll_event> events) {
  for (const epoll_event& event : events) {
    const uint64_t id = event.data.u64;
    if (id == kListenerId) {
      accept_clients();
    } else if (id == kSignalId) {
      eventfd_t count = 0;
      (void)::eventfd_read(signal_.number(), &count);
    } else {
      with_connection(id, [&](Connection& connection) { connection.on_events(event.events); });
    }
  }
}

void EventLoop::obey_orders() {
  if ((stop_accepting_ || drain_) && listener_.socket.valid()) {
    listener_ = {};
    listener_paused_ = false;
  }
  if (!drain_) return;
  for (const uint64_t id : ids_of([](const Connection& c) { return !c.draining(); })) {
    with_connection(id, [](Connection& connection) { connection.drain(); });
  }
  if (std::all_of(connections_.begin(), connections_.end(),
                  [](const auto& item) { return item.second.connection->idle(); })) {
    const std::lock_guard lock(mutex_);
    is_drained_ = true;
    drained_.notify_all();
  }
}

void EventLoop::accept_clients() {
  for (int i = 0; i < kAcceptsPerEvent && listener_.socket.valid(); ++i) {
    AcceptedClient client = accept_client(listener_);
    if (client.out_of_files && !make_room()) {
      // Waits until the clock is looked at, rather than spin.
      watch(EPOLL_CTL_MOD, listener_.socket.number(), kListenerId, 0);
      listener_paused_ = true;
    }
    if (!client.socket.valid()) return;
    if (static_cast<int64_t>(connections_.size()) < max_connections_ || make_room()) {
      add_client(std::move(client));
    } else {
      counters_.add(&HttpCounters::refused);
    }
  }
}

// Closes the connection that has been idle longest, if one is.
bool EventLoop::make_room() {
  if (idle_.empty()) return false;
  counters_.add(&HttpCounters::evicted);
  remove(idle_.front());
  return true;
}

void EventLoop::add_client(AcceptedClient client) {
  counters_.add(&HttpCounters::accepted_connections);
  const uint64_t id = next_id_++;
  const int file = client.socket.number();
  try {
    Entry entry{std::make_unique<Connection>(id, transports_.make(std::move(client.socket)),
                                             std::move(client.endpoint), services_)};
    watch(EPOLL_CTL_ADD, file, id, 0);
    settle(id, connections_.emplace(id, std::move(entry)).first->second);
  } catch (const std::exception& error) {
    spdlog::error("A connection could not be taken: {}", error.what());
  }
}

void EventLoop::settle(uint64_t id, Entry& entry) {
  const Connection& connection = *entry.connection;
  if (connection.closed()) return remove(id);
  const uint32_t events = connection.interest();
  if (events != std::exchange(entry.registered, events)) {
    watch(EPOLL_CTL_MOD, connection.socket(), id, events);
  }
  if (entry.idle_at) idle_.erase(*std::exchange(entry.idle_at, std::nullopt));
  if (connection.idle()) entry.idle_at = idle_.insert(idle_.end(), id);
}

void EventLoop::remove(uint64_t id) {
  const auto found = connections_.find(id);
  if (found->second.idle_at) idle_.erase(*found->second.idle_at);
  connections_.erase(found);
}

void EventLoop::look_at_clock() {
  const auto now = Connection::Clock::now();
  if (now - looked_at_clock_ < kClockInterval) return;
  looked_at_clock_ = now;
  for (const uint64_t id : ids_of([now](const Connection& c) { return now >= c.deadline(); })) {
    with_connection(id, [](Connection& connection) { connection.on_deadline(); });
  }
  if (listener_paused_) {
    watch(EPOLL_CTL_MOD, listener_.socket.number(), kListenerId, EPOLLIN);
    listener_paused_ = false;
  }
}

void EventLoop::watch(int operation, int file, uint64_t id, uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = id;
  if (::epoll_ctl(epoll_.number(), operation, file, &event) != 0) {
    throw Error(std::string("A connection cannot be watched: ") + std::strerror(errno) + ".");
  }
}

}  // namespace dietmt::service
