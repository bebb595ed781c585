// The one thread that accepts, reads from and writes to all clients.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "service/http/connection.h"
#include "service/http/listener.h"
#include "service/http/transport_factory.h"

namespace dietmt::service {

class EventLoop {
 public:
  /// `options`, `budget` and `counters` outlive the loop. `submit` hands a request to a handler
  /// thread, and says false if there are too many. Throws ConfigError for unusable TLS files.
  EventLoop(const HttpOptions& options, SpoolBudget& budget, CounterBoard& counters,
            std::function<bool(std::shared_ptr<Exchange>)> submit);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Starts the thread; returns the port. Called once. Throws ConfigError.
  int listen(const std::string& host, int port);

  /// Closes the listening socket; connections live on.
  void stop_accepting() { order(stop_accepting_); }

  /// Also closes idle connections, and every other one after its response. True if none is left
  /// after at most `patience`.
  bool drain(std::chrono::milliseconds patience);

  /// Reads the TLS files anew, for the connections to come. Throws ConfigError where they cannot be
  /// used: the old certificate serves on.
  void reload_certificate() { transports_.reload(); }

  /// Closes everything and ends the thread.
  void stop();

 private:
  struct Entry {
    std::unique_ptr<Connection> connection;
    uint32_t registered = 0;                                    // event bits
    std::optional<std::list<uint64_t>::iterator> idle_at = {};  // in idle_
  };

  void order(std::atomic<bool>& flag) {
    flag = true;
    signal();
  }
  void wake(uint64_t connection);
  void signal();
  void run();
  void handle(std::span<const epoll_event> events);
  void obey_orders();
  void accept_clients();
  bool make_room();
  void add_client(AcceptedClient client);
  template <typename Action>
  void with_connection(uint64_t id, Action action);
  void settle(uint64_t id, Entry& entry);
  void remove(uint64_t id);
  void look_at_clock();
  void watch(int operation, int file, uint64_t id, uint32_t events);
  template <typename Condition>
  std::vector<uint64_t> ids_of(Condition condition) const;

  const HttpOptions& options_;
  CounterBoard& counters_;
  const ReadLimits limits_;
  const CorsPolicy cors_;
  OutputLimits output_;
  TransportFactory transports_;
  std::vector<char> scratch_;
  ConnectionServices services_;

  FileDescriptor epoll_;
  FileDescriptor signal_;  // an eventfd
  Listener listener_;
  bool listener_paused_ = false;
  int64_t max_connections_ = 0;
  uint64_t next_id_;
  std::unordered_map<uint64_t, Entry> connections_;
  std::list<uint64_t> idle_;  // the longest idle one first
  Connection::Clock::time_point looked_at_clock_ = Connection::Clock::now();

  std::mutex mutex_;
  std::vector<uint64_t> woken_;
  std::condition_variable drained_;
  bool is_drained_ = false;

  std::atomic<bool> stop_accepting_ = false;
  std::atomic<bool> drain_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace dietmt::service
