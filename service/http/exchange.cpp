#include "service/http/exchange.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "service/http/request_fault.h"

namespace dietmt::service {
namespace {

std::string head_with_length(const CompleteRequest& request) {
  return request.head.lines + "Content-Length: " + std::to_string(request.body->size()) +
         "\r\n\r\n";
}

}  // namespace

Exchange::Exchange(CompleteRequest request, Endpoint client, Endpoint server, OutputLimits& limits,
                   std::function<void()> wake)
    : request_(std::move(request)),
      head_(head_with_length(request_)),
      client_(std::move(client)),
      server_(std::move(server)),
      limits_(limits),
      wake_(std::move(wake)),
      client_gone_(std::make_shared<std::atomic<bool>>(false)),
      keep_alive_(request_.head.keep_alive) {}

ssize_t Exchange::read(char* to, size_t count) {
  size_t n = 0;
  if (read_ < head_.size()) {
    n = std::min(count, head_.size() - static_cast<size_t>(read_));
    std::memcpy(to, head_.data() + read_, n);
  } else {
    n = request_.body->read(read_ - head_.size(), to, count);
  }
  read_ += n;
  return static_cast<ssize_t>(n);
}

ssize_t Exchange::write(const char* from, size_t count) {
  if (!std::exchange(head_written_, true)) note_response_head({from, count});
  std::unique_lock lock(mutex_);
  for (std::string_view left(from, count); !left.empty();) {
    if (!overflow_ && output_.size() >= limits_.buffer) make_room(lock);
    if (abandoned_) return -1;
    const bool was_empty = output_.empty() && !overflow_;
    const size_t n =
        overflow_ ? left.size() : std::min(left.size(), limits_.buffer - output_.size());
    try {
      overflow_ ? overflow_->append(left) : void(output_.append(left.substr(0, n)));
    } catch (const RequestFault& fault) {
      spdlog::warn("{} {}: the answer is cut off for a slow client: {}", request_.head.method,
                   request_.head.target, fault.what());
      return -1;
    }
    left.remove_prefix(n);
    if (was_empty) wake_();
  }
  return static_cast<ssize_t>(count);
}

// Waits until the client has read some of the buffer. Where as many threads wait as may, so that
// the rest are there for others, opens the overflow instead.
void Exchange::make_room(std::unique_lock<std::mutex>& lock) {
  if (limits_.waiting++ < limits_.may_wait)
    room_.wait(lock, [&] { return abandoned_ || output_.size() < limits_.buffer; });
  else
    overflow_ = std::make_unique<SpooledBytes>(limits_.spool);
  --limits_.waiting;
}

// The client finds the end of a response without a length where the connection ends. cpp-httplib
// writes the head of a response in one piece.
void Exchange::note_response_head(std::string_view head) {
  head = head.substr(0, head.find("\r\n\r\n") + 2);
  const auto has = [head](const char* field) { return head.find(field) != std::string_view::npos; };
  const bool framed = has("\r\nContent-Length: ") || has("\r\nTransfer-Encoding: ");
  if (!framed || has("\r\nConnection: close\r\n")) keep_alive_ = false;
}

void Exchange::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip = client_.address;
  port = client_.port;
}

void Exchange::get_local_ip_and_port(std::string& ip, int& port) const {
  ip = server_.address;
  port = server_.port;
}

void Exchange::finish(bool reusable) {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    keep_alive_ = keep_alive_ && reusable;
  }
  wake_();
}

// The next bytes of the overflow, which ends with its last ones.
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
  *client_gone_ = true;
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

}  // namespace dietmt::service
