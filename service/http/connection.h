// One client: reads a request, has it handled, sends the response, and begins again. Knows nothing
// of epoll but its event bits; the event loop asks interest() after every call.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "service/http/connection_services.h"
#include "service/http/pace.h"
#include "service/http/transport.h"

namespace dietmt::service {

class Connection {
 public:
  using Clock = Pace::Clock;

  /// `services` outlives the connection.
  Connection(uint64_t id, std::unique_ptr<Transport> transport, Endpoint client,
             ConnectionServices& services);
  ~Connection();

  /// `events`: EPOLLIN and the like.
  void on_events(uint32_t events);
  /// The handler has written, or has returned.
  void on_output();
  /// When on_deadline() is to be called, unless something happens before.
  Clock::time_point deadline() const;
  void on_deadline();
  /// Takes no request after the one that has begun.
  void drain();
  bool draining() const { return draining_; }

  /// The event bits to wait for.
  uint32_t interest() const;
  int socket() const { return transport_->socket(); }
  bool closed() const { return phase_ == Phase::kClosed; }
  /// Owes the client nothing: may be closed for another.
  bool idle() const { return phase_ == Phase::kIdle || phase_ == Phase::kLingering; }

 private:
  enum class Phase {
    kHandshake,
    kIdle,       // no byte of a request has come
    kReading,    // some have
    kHandling,   // the request is complete; its response is being made and sent
    kAnswering,  // an answer of our own is being sent, the last one
    kLingering,  // all is sent; what the client still sends is thrown away
    kClosed
  };

  void shake_hands();
  void receive();
  void feed(std::string_view bytes);
  void hand_over(std::string_view rest);
  void answer_fault(int status, const std::string& text, const std::string& origin);
  void pump();
  bool send();
  bool refill();
  void end_response(bool keep_alive);
  void linger();
  void close();
  void enter(Phase phase);
  void count_fault(int status);
  bool output_pending() const { return sent_ < output_.size(); }

  const uint64_t id_;
  const std::unique_ptr<Transport> transport_;
  const Endpoint client_;
  ConnectionServices& services_;

  Phase phase_ = Phase::kHandshake;
  Clock::time_point since_ = Clock::now();  // of this phase
  bool wants_write_ = false;                // of the handshake
  bool draining_ = false;
  bool half_closed_ = false;  // the client has closed its side
  RequestReader reader_;
  std::string pipelined_;  // bytes of the next requests
  std::shared_ptr<Exchange> exchange_;

  std::string output_;
  size_t sent_ = 0;  // of output_
  Pace send_pace_;   // while there is something to send
  Pace body_pace_;
};

}  // namespace dietmt::service
