#include "service/http/connection.h"

#include <sys/epoll.h>

#include <utility>

#include "service/http/request_fault.h"

namespace dietmt::service {
namespace {

// In a row, so that one fast client does not keep the loop from others.
constexpr int kReadsPerEvent = 8;
constexpr int kWritesPerEvent = 16;

}  // namespace

Connection::Connection(uint64_t id, std::unique_ptr<Transport> transport, Endpoint client,
                       ConnectionServices& services)
    : id_(id),
      transport_(std::move(transport)),
      client_(std::move(client)),
      services_(services),
      reader_(services.limits, services.budget),
      send_pace_(services.options.transfer_period, services.options.transfer_rate),
      body_pace_(send_pace_) {
  services_.counters.add(&HttpCounters::open_connections);
  shake_hands();
}

Connection::~Connection() {
  if (!closed()) close();
}

void Connection::on_events(uint32_t events) {
  if (events & (EPOLLHUP | EPOLLERR)) return close();
  if ((events & EPOLLRDHUP) && phase_ == Phase::kHandling) {
    half_closed_ = true;
    exchange_->note_client_gone();
  }
  if (phase_ == Phase::kHandshake) shake_hands();
  if (events & EPOLLIN) receive();
  pump();
}

void Connection::on_output() { pump(); }

void Connection::drain() {
  draining_ = true;
  if (phase_ == Phase::kIdle || phase_ == Phase::kHandshake) close();
}

uint32_t Connection::interest() const {
  switch (phase_) {
    case Phase::kHandshake:
      return wants_write_ ? EPOLLOUT : EPOLLIN;
    case Phase::kIdle:
    case Phase::kReading:
    case Phase::kLingering:
      return output_pending() ? EPOLLIN | EPOLLOUT : EPOLLIN;
    case Phase::kHandling:
      return (output_pending() ? EPOLLOUT : 0U) | (half_closed_ ? 0U : EPOLLRDHUP);
    case Phase::kAnswering:
      return EPOLLOUT;
    case Phase::kClosed:
      break;
  }
  return 0;
}

void Connection::shake_hands() {
  const IoResult result = transport_->handshake();
  wants_write_ = result.state == IoResult::State::kWantsWrite;
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
    const IoResult result = transport_->read(scratch.data(), scratch.size());
    if (result.state == IoResult::State::kClosed) return close();
    if (result.state != IoResult::State::kMoved) return;
    if (!lingering) feed({scratch.data(), result.bytes});
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
  } catch (const RequestFault& fault) {
    answer_fault(fault.status(), fault.what(), reader_.origin());
  }
}

void Connection::hand_over(std::string_view rest) {
  pipelined_ = rest;
  exchange_ =
      std::make_shared<Exchange>(reader_.take(), client_, services_.server, services_.output,
                                 [wake = services_.wake, id = id_] { wake(id); });
  if (!services_.submit(exchange_)) {
    const std::string origin = exchange_->head().origin;
    exchange_.reset();
    return answer_fault(503, "The server is overloaded; please try again later.", origin);
  }
  enter(Phase::kHandling);
}

void Connection::answer_fault(int status, const std::string& text, const std::string& origin) {
  count_fault(status);
  output_ +=
      fault_response(status, text, services_.options.retry_after, services_.cors.fields(origin));
  enter(Phase::kAnswering);
}

void Connection::count_fault(int status) {
  int64_t HttpCounters::*counter = &HttpCounters::malformed;
  if (status == 408) counter = &HttpCounters::timed_out;
  if (status == 413 || status == 414 || status == 431) counter = &HttpCounters::too_large;
  if (status == 503) counter = &HttpCounters::overloaded;
  services_.counters.add(counter);
}

// Sends what there is; when a response is complete, goes on with what the client sent behind its
// request.
void Connection::pump() {
  while (!closed() && send()) {
    if (phase_ != Phase::kIdle || pipelined_.empty()) return;
    feed(std::exchange(pipelined_, {}));
  }
}

// True if nothing is left to send.
bool Connection::send() {
  for (int i = 0; i < kWritesPerEvent; ++i) {
    if (!output_pending() && !refill()) return !exchange_;
    const IoResult result = transport_->write(output_.data() + sent_, output_.size() - sent_);
    if (result.state == IoResult::State::kClosed) close();
    if (result.state != IoResult::State::kMoved) return false;
    sent_ += result.bytes;
    send_pace_.count(result.bytes);
  }
  // EPOLLOUT comes back to what is pending; what the handler may have written since does not.
  if (!output_pending()) services_.wake(id_);
  return false;
}

// Takes what the handler has written; false if there is nothing to send now. A response that is
// complete is ended here.
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
  half_closed_ = false;
  if (!keep_alive || draining_) return linger();
  enter(Phase::kIdle);
}

// A connection that is closed while the client still sends is reset, and the client may lose the
// answer. So it is read on until the client has understood.
void Connection::linger() {
  pipelined_ = {};
  transport_->finish();
  enter(Phase::kLingering);
}

void Connection::close() {
  if (exchange_) {
    services_.counters.add(&HttpCounters::vanished);
    exchange_->abandon();
    exchange_.reset();
  }
  services_.counters.add(&HttpCounters::open_connections, -1);
  output_ = {};
  sent_ = 0;
  phase_ = Phase::kClosed;
}

void Connection::enter(Phase phase) {
  phase_ = phase;
  since_ = Clock::now();
}

void Connection::on_deadline() {
  if (phase_ == Phase::kReading) {
    answer_fault(408, "The request did not arrive in time.", reader_.origin());
    return pump();
  }
  if (phase_ == Phase::kHandling || phase_ == Phase::kAnswering) {
    services_.counters.add(&HttpCounters::timed_out);
  }
  close();
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
