#include "service/http/exchange.h"

#include <spdlog/fmt/chrono.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/serializer.hpp>
#include <ctime>
#include <utility>

#include "service/http/message.h"

namespace dietmt::service {

Exchange::Exchange(HttpRequest request, OutputLimits& limits, std::function<void()> wake)
    : request_(std::move(request)), limits_(limits), wake_(std::move(wake)) {}

uint64_t Exchange::respond(const Answer& answer, bool keep_alive) {
  const Framing framing = framing_of(answer, request_.head);
  keep_alive = keep_alive && request_.head.keep_alive && framing != Framing::kUntilClose;
  std::string begin = answer_head(answer, framing, keep_alive);
  const bool has_body = request_.head.method != "HEAD" && framing != Framing::kNoBody;
  if (has_body && !answer.pieces) begin += answer.body;
  uint64_t bytes = has_body && !answer.pieces ? answer.body.size() : 0;
  if (begin.size() <= limits_.buffer && !(has_body && answer.pieces)) {
    finish(begin, keep_alive);
    return bytes;
  }
  bool whole = write(begin);
  if (has_body && answer.pieces)
    whole = whole && write_pieces(answer, framing == Framing::kChunked, bytes);
  finish("", keep_alive && whole);
  return bytes;
}

// Small answers take one step: `last` is the whole answer.
void Exchange::finish(std::string_view last, bool keep_alive) {
  {
    const std::lock_guard lock(mutex_);
    output_ += last;
    finished_ = true;
    keep_alive_ = keep_alive;
  }
  wake_();
}

bool Exchange::write_pieces(const Answer& answer, bool chunked, uint64_t& bytes) {
  try {
    while (const auto piece = answer.pieces()) {
      if (piece->empty()) continue;
      if (!write(chunked ? chunk_of(*piece) : *piece)) return false;
      bytes += piece->size();
    }
  } catch (const std::exception& error) {
    spdlog::error("{} {}: the answer was cut off: {}", request_.head.method,
                  request_.head.logged_path(), error.what());
    return false;
  }
  return !chunked || write(chunk_of(""));
}

// While the buffer is full, waits, or spools if too many threads are waiting. False if the client
// has left or the spool is full.
bool Exchange::write(std::string_view bytes) {
  std::unique_lock lock(mutex_);
  while (!bytes.empty()) {
    if (!overflow_ && output_.size() >= limits_.buffer) make_room(lock);
    if (abandoned_) return false;
    const bool was_empty = output_.empty() && !overflow_;
    const size_t n =
        overflow_ ? bytes.size() : std::min(bytes.size(), limits_.buffer - output_.size());
    try {
      overflow_ ? overflow_->append(bytes) : void(output_.append(bytes.substr(0, n)));
    } catch (const RequestFault& fault) {
      spdlog::warn("{} {}: the answer is cut off for a slow client: {}", request_.head.method,
                   request_.head.logged_path(), fault.what());
      return false;
    }
    bytes.remove_prefix(n);
    if (was_empty) wake_();
  }
  return true;
}

// Waits until the client has read part of the buffer. If too many threads are waiting, opens the
// overflow instead to keep the other threads free.
void Exchange::make_room(std::unique_lock<std::mutex>& lock) {
  if (limits_.waiting++ < limits_.may_wait)
    room_.wait(lock, [&] { return abandoned_ || output_.size() < limits_.buffer; });
  else
    overflow_ = std::make_unique<SpooledBytes>(limits_.spool);
  --limits_.waiting;
}

// The next bytes of the overflow; closes it after the last.
std::string Exchange::take_overflow() {
  std::string bytes(limits_.buffer, '\0');
  bytes.resize(overflow_->read(overflow_taken_, bytes.data(), bytes.size()));
  overflow_taken_ += bytes.size();
  if (overflow_taken_ == overflow_->size()) {
    overflow_.reset();
    overflow_taken_ = 0;
  }
  return bytes;
}

Exchange::Output Exchange::take_output() {
  Output output;
  {
    const std::lock_guard lock(mutex_);
    output = {std::exchange(output_, {}), finished_, keep_alive_};
    if (output.bytes.empty() && overflow_) output.bytes = take_overflow();
  }
  room_.notify_one();
  return output;
}

void Exchange::abandon() {
  note_client_gone();
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  room_.notify_one();
}

bool Exchange::abandoned() const {
  const std::lock_guard lock(mutex_);
  return abandoned_;
}

namespace beast = boost::beast;
namespace http = beast::http;

Framing framing_of(const Answer& answer, const RequestHead& request) {
  if (answer.status == 204 || answer.status == 304) return Framing::kNoBody;
  if (!answer.pieces || answer.length) return Framing::kLength;
  return request.http_1_0 ? Framing::kUntilClose : Framing::kChunked;
}

std::string answer_head(const Answer& answer, Framing framing, bool keep_alive) {
  http::response<http::empty_body> head;
  head.result(static_cast<unsigned>(answer.status));
  head.set(http::field::date,
           fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(std::time(nullptr))));
  if (framing != Framing::kNoBody) head.set(http::field::content_type, answer.type);
  if (framing == Framing::kLength)
    head.set(http::field::content_length,
             std::to_string(answer.length.value_or(answer.body.size())));
  if (framing == Framing::kChunked) head.set(http::field::transfer_encoding, "chunked");
  if (!keep_alive) head.set(http::field::connection, "close");
  for (const auto& [name, value] : answer.headers) head.insert(name, value);
  std::string text;
  http::response_serializer<http::empty_body> serializer(head);
  serializer.split(true);  // Exchange writes the body and its framing
  beast::error_code error;
  while (!serializer.is_header_done()) {
    serializer.next(error, [&](beast::error_code&, const auto& buffers) {
      text += beast::buffers_to_string(buffers);
      serializer.consume(beast::buffer_bytes(buffers));
    });
  }
  return text;
}

std::string closing_answer(const Answer& answer) {
  return answer_head(answer, Framing::kLength, false) + answer.body;
}

std::string chunk_of(std::string_view piece) {
  if (piece.empty()) return beast::buffers_to_string(http::make_chunk_last());
  return beast::buffers_to_string(http::make_chunk(boost::asio::buffer(piece)));
}

}  // namespace dietmt::service
