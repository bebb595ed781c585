#include "service/http/connection.h"

#include <poll.h>
#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "service/http/access_log.h"
#include "service/http/exchange.h"
#include "service/http/message.h"

#ifndef POLLRDHUP  // macOS, where a client that ends its side only has POLLHUP and counts as gone
#define POLLRDHUP 0
#endif

namespace dietmt::service {
namespace {

// Reads in a row; then other clients get a chance.
constexpr int kReadsPerEvent = 8;
constexpr int kWritesPerEvent = 16;

int64_t HttpCounters::*counter_of(int status) {
  if (status == 408) return &HttpCounters::timed_out;
  if (status == 413 || status == 414 || status == 431) return &HttpCounters::too_large;
  if (status == 503 || status == 507) return &HttpCounters::overloaded;
  return &HttpCounters::malformed;
}

}  // namespace

Connection::Connection(Transport transport, std::string client, ConnectionServices& services)
    : transport_(std::move(transport)),
      client_(std::move(client)),
      services_(services),
      reader_(services.limits, services.budget, &services.handler, client_),
      send_pace_(services.options.transfer_period, services.options.transfer_rate),
      body_pace_(send_pace_) {}

void Connection::start() {
  services_.counters.add(&HttpCounters::open_connections);
  place_ = services_.busy.insert(services_.busy.end(), shared_from_this());
  act([this] { shake_hands(); });
}

template <typename Action>
void Connection::act(Action action) {
  if (phase_ == Phase::kClosed) return;
  try {
    action();
    settle();
  } catch (const std::exception& error) {
    spdlog::error("A connection is closed: {}", error.what());
    close();
  }
}

// Joins the list for its state and waits for the socket.
void Connection::settle() {
  if (phase_ == Phase::kClosed) return;
  Connections& from = listed_idle_ ? services_.idle : services_.busy;
  listed_idle_ = is_idle();
  Connections& to = listed_idle_ ? services_.idle : services_.busy;
  to.splice(to.end(), from, place_);
  services_.moved();

  const bool handshake = phase_ == Phase::kHandshake;
  const bool reading = is_idle() || phase_ == Phase::kReading;
  if (reading || (handshake && !handshake_writes_)) await(true, awaits_read_);
  if (output_pending() || (handshake && handshake_writes_)) await(false, awaits_write_);
}

void Connection::await(bool to_read, bool& waiting) {
  if (std::exchange(waiting, true)) return;
  using Socket = Transport::Socket;
  transport_.socket().async_wait(
      to_read ? Socket::wait_read : Socket::wait_write,
      [self = shared_from_this(), to_read, &waiting](const boost::system::error_code& error) {
        waiting = false;
        if (error) return;
        self->act([&] {
          if (self->phase_ == Phase::kHandshake) self->shake_hands();
          if (to_read) self->receive();
          self->pump();
        });
      });
}

void Connection::drain() {
  draining_ = true;
  if (phase_ == Phase::kIdle || phase_ == Phase::kHandshake) close();
}

void Connection::shake_hands() {
  const IoResult result = transport_.handshake();
  handshake_writes_ = result.state == IoResult::State::kWantsWrite;
  if (result.state == IoResult::State::kMoved) enter(Phase::kIdle);
  if (result.state == IoResult::State::kClosed) {
    services_.counters.add(&HttpCounters::failed_handshakes);
    close();
  }
}

void Connection::receive() {
  for (int i = 0; i < kReadsPerEvent; ++i) {
    const bool lingering = phase_ == Phase::kLingering;
    if (!lingering && phase_ != Phase::kIdle && phase_ != Phase::kReading) return;
    std::vector<char>& scratch = services_.scratch;
    const IoResult result = transport_.read(scratch.data(), scratch.size());
    if (result.state == IoResult::State::kClosed) return close();
    if (result.state != IoResult::State::kMoved) return;
    if (!lingering) feed({scratch.data(), result.bytes});
    if (result.bytes < scratch.size() / 4) return;  // probably no more has arrived
  }
}

void Connection::feed(std::string_view bytes) {
  try {
    using Stage = RequestReader::Stage;
    const Stage before = reader_.stage();
    const size_t consumed = reader_.feed(bytes);
    const Stage stage = reader_.stage();
    if (stage == Stage::kEmpty) return;
    if (phase_ == Phase::kIdle) enter(Phase::kReading);
    if (before == Stage::kBody) {
      body_pace_.count(consumed);
    } else if (stage == Stage::kBody) {
      body_pace_.begin();
    }
    if (reader_.take_continue()) output_ += "HTTP/1.1 100 Continue\r\n\r\n";
    if (stage == Stage::kComplete) hand_over(bytes.substr(consumed));
  } catch (Refusal& refusal) {
    answer_itself(std::move(refusal.answer), reader_.head());
  } catch (const RequestFault& fault) {
    services_.counters.add(counter_of(fault.status()));
    answer_fault(fault_answer(fault.status(), fault.what()), reader_.head());
  }
}

void Connection::hand_over(std::string_view rest) {
  pipelined_ = rest;
  HttpRequest request = reader_.take();
  request.client = client_;
  request.id = request_id(request.head.field("X-Request-ID"));
  request.arrived = Clock::now();
  request.client_gone = std::make_shared<std::atomic<bool>>(false);
  exchange_ = std::make_shared<Exchange>(std::move(request), services_.output,
                                         [weak = weak_from_this(), &services = services_] {
                                           boost::asio::post(services.context, [weak] {
                                             const auto self = weak.lock();
                                             if (self) self->act([&] { self->pump(); });
                                           });
                                         });
  if (services_.submit(exchange_)) return enter(Phase::kHandling);
  const std::shared_ptr<Exchange> refused = std::exchange(exchange_, nullptr);
  services_.counters.add(&HttpCounters::overloaded);
  answer_fault(fault_answer(503, "The server is overloaded; please try again later.",
                            services_.options.retry_after),
               refused->request().head);
}

// Adds CORS fields so that pages of allowed origins can read it.
void Connection::answer_fault(Answer answer, const RequestHead& head) {
  for (auto& field : services_.cors.fields(head.field("Origin")))
    answer.headers.push_back(std::move(field));
  answer_itself(std::move(answer), head);
}

void Connection::answer_itself(Answer answer, const RequestHead& head) {
  const std::string id = request_id(head.field("X-Request-ID"));
  answer.headers.emplace_back("X-Request-ID", id);
  if (services_.options.access_log) {
    services_.options.access_log->write(
        {.id = id,
         .client = client_,
         .head = head,
         .status = answer.status,
         .bytes = answer.body.size(),
         .time = phase_ == Phase::kReading ? Clock::now() - since_ : Clock::duration()});
  }
  output_ += closing_answer(answer);
  enter(Phase::kAnswering);
}

// Sends pending output. After a complete answer, continues with pipelined requests.
void Connection::pump() {
  while (phase_ != Phase::kClosed && send()) {
    if (phase_ != Phase::kIdle || pipelined_.empty()) return;
    feed(std::exchange(pipelined_, {}));
  }
}

// True if nothing is left to send.
bool Connection::send() {
  for (int i = 0; i < kWritesPerEvent; ++i) {
    if (!output_pending() && !refill()) return !exchange_;
    const IoResult result = transport_.write(output_.data() + sent_, output_.size() - sent_);
    if (result.state == IoResult::State::kClosed) close();
    if (result.state != IoResult::State::kMoved) return false;
    sent_ += result.bytes;
    send_pace_.count(result.bytes);
  }
  // The socket wakes us for pending output, but nothing does for what the handler has written
  // since.
  if (!output_pending()) {
    boost::asio::post(services_.context,
                      [self = shared_from_this()] { self->act([&] { self->pump(); }); });
  }
  return false;
}

// Takes the handler's output and finishes complete answers. False if there is nothing to send.
bool Connection::refill() {
  output_.clear();
  sent_ = 0;
  send_pace_.begin();
  if (phase_ == Phase::kAnswering) linger();
  if (!exchange_) return false;
  Exchange::Output made = exchange_->take_output();
  output_ = std::move(made.bytes);
  if (output_.empty() && made.finished) end_response(made.keep_alive);
  return output_pending();
}

void Connection::end_response(bool keep_alive) {
  exchange_.reset();
  if (!keep_alive || draining_) return linger();
  enter(Phase::kIdle);
}

// Closing while the client is still sending would reset the connection and could lose the answer,
// so keep reading for a while.
void Connection::linger() {
  pipelined_ = {};
  transport_.finish();
  enter(Phase::kLingering);
}

void Connection::close(Left left) {
  if (phase_ == Phase::kClosed) return;
  const auto self = shared_from_this();
  phase_ = Phase::kClosed;
  if (exchange_) {
    if (left == Left::kByClient) services_.counters.add(&HttpCounters::vanished);
    exchange_->abandon();
    exchange_.reset();
  }
  services_.counters.add(&HttpCounters::open_connections, -1);
  output_ = {};
  sent_ = 0;
  boost::system::error_code ignored;
  transport_.socket().close(ignored);
  (listed_idle_ ? services_.idle : services_.busy).erase(place_);
  services_.moved();
}

void Connection::enter(Phase phase) {
  phase_ = phase;
  since_ = Clock::now();
}

void Connection::look_at_clock(Clock::time_point now) {
  if (phase_ == Phase::kHandling) look_for_client();
  if (phase_ != Phase::kClosed && now >= deadline()) act([this] { end_late(); });
}

// Nothing is read while a request is handled, so check whether the client is still there.
void Connection::look_for_client() {
  pollfd socket = {transport_.socket().native_handle(), POLLRDHUP, 0};
  if (::poll(&socket, 1, 0) <= 0) return;
  if (socket.revents & (POLLHUP | POLLERR)) return close();
  if (socket.revents & POLLRDHUP) exchange_->note_client_gone();
}

void Connection::end_late() {
  if (phase_ == Phase::kReading) {
    services_.counters.add(&HttpCounters::timed_out);
    answer_fault(fault_answer(408, "The request did not arrive in time."), reader_.head());
    return pump();
  }
  if (phase_ == Phase::kHandling || phase_ == Phase::kAnswering)
    services_.counters.add(&HttpCounters::timed_out);
  close(Left::kToUs);
}

Connection::Clock::time_point Connection::deadline() const {
  const HttpOptions& options = services_.options;
  switch (phase_) {
    case Phase::kHandshake:
      return since_ + options.head_timeout;
    case Phase::kIdle:
      return since_ + options.idle_timeout;
    case Phase::kReading:
      return reader_.stage() == RequestReader::Stage::kBody ? body_pace_.deadline()
                                                            : since_ + options.head_timeout;
    case Phase::kHandling:
    case Phase::kAnswering:
      if (output_pending()) return send_pace_.deadline();
      break;
    case Phase::kLingering:
      return since_ + options.linger_timeout;
    case Phase::kClosed:
      break;
  }
  return Clock::time_point::max();
}

}  // namespace dietmt::service
