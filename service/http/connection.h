// One client: reads a request, has it handled, sends the answer, and starts again. Only the event
// loop's thread calls a connection; handler threads call its exchange.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "service/http/exchange.h"
#include "service/http/http_options.h"
#include "service/http/message.h"
#include "service/http/request_reader.h"
#include "service/http/transport.h"

namespace dietmt::service {

/// Detects stalled transfers: each must move a quota of bytes in every period. Bursts earn no
/// credit, so a stall shows just as soon after 100 MB as after none.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  Pace(std::chrono::milliseconds period, int64_t bytes_per_second)
      : period_(period), quota_(bytes_per_second * period.count() / 1000) {}

  void begin() {
    begin_ = Clock::now();
    moved_ = 0;
  }

  void count(size_t bytes) {
    moved_ += static_cast<int64_t>(bytes);
    if (moved_ >= quota_) begin();
  }

  /// When the next quota is due.
  Clock::time_point deadline() const { return begin_ + period_; }

 private:
  std::chrono::milliseconds period_;
  int64_t quota_;
  Clock::time_point begin_{};
  int64_t moved_ = 0;
};

class Connection;
using Connections = std::list<std::shared_ptr<Connection>>;

/// Counters that several threads increment and read.
class CounterBoard {
 public:
  void add(int64_t HttpCounters::*counter, int64_t n = 1) {
    const std::lock_guard lock(mutex_);
    counters_.*counter += n;
  }

  HttpCounters snapshot() const {
    const std::lock_guard lock(mutex_);
    return counters_;
  }

 private:
  mutable std::mutex mutex_;
  HttpCounters counters_;
};

/// State that the connections of a server share.
struct ConnectionServices {
  const HttpOptions& options;
  HttpHandler& handler;
  CounterBoard& counters;
  SpoolBudget budget;
  ReadLimits limits;
  CorsPolicy cors;
  OutputLimits output;
  std::vector<char> scratch;  // read buffer, shared by all connections
  boost::asio::io_context context{1};

  Connections busy;
  Connections idle;  // longest idle first

  /// Hands a request to a handler thread; false if too many are waiting.
  std::function<bool(std::shared_ptr<Exchange>)> submit;
  /// Called when a connection changes lists or closes.
  std::function<void()> moved;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = Pace::Clock;

  /// `services` outlives the connection.
  Connection(Transport transport, std::string client, ConnectionServices& services);

  /// Joins the busy connections and serves the client until it closes.
  void start();
  /// Enforces timeouts. Called about ten times a second.
  void look_at_clock(Clock::time_point now);
  /// Closes after the current request.
  void drain();
  enum class Left { kByClient, kToUs };
  void close(Left left = Left::kByClient);

 private:
  enum class Phase {
    kHandshake,
    kIdle,       // waiting for the first byte of a request
    kReading,    // a request is arriving
    kHandling,   // a handler is answering the complete request
    kAnswering,  // sending the connection layer's own final answer
    kLingering,  // everything is sent; discarding input
    kClosed
  };

  template <typename Action>
  void act(Action action);
  void settle();
  void await(bool to_read, bool& waiting);
  void shake_hands();
  void receive();
  void feed(std::string_view bytes);
  void hand_over(std::string_view rest);
  void answer_fault(Answer answer, const RequestHead& head);
  void answer_itself(Answer answer, const RequestHead& head);
  void pump();
  bool send();
  bool refill();
  void end_response(bool keep_alive);
  void linger();
  void look_for_client();
  void end_late();
  void enter(Phase phase);
  Clock::time_point deadline() const;
  bool output_pending() const { return sent_ < output_.size(); }
  /// No request is pending, so the connection can be closed to make room.
  bool is_idle() const { return phase_ == Phase::kIdle || phase_ == Phase::kLingering; }

  Transport transport_;
  const std::string client_;
  ConnectionServices& services_;
  Connections::iterator place_;
  bool listed_idle_ = false;

  Phase phase_ = Phase::kHandshake;
  Clock::time_point since_ = Clock::now();  // start of this phase
  bool handshake_writes_ = false;
  bool awaits_read_ = false;
  bool awaits_write_ = false;
  bool draining_ = false;
  RequestReader reader_;
  std::string pipelined_;  // bytes of the next requests
  std::shared_ptr<Exchange> exchange_;

  std::string output_;
  size_t sent_ = 0;  // of output_
  Pace send_pace_;   // while output is pending
  Pace body_pace_;
};

}  // namespace dietmt::service
