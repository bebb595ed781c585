#include "service/http/http_server.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "service/http/access_log.h"
#include "service/http/event_loop.h"
#include "service/http/handler_threads.h"
#include "service/http/message.h"

namespace dietmt::service {
namespace {

constexpr int kClientClosedRequest = 499;  // only in the log; no client sees it

// Requests in progress per client. Only the loop's thread uses the table; handlers just decrement a
// count, so the loop never waits for them.
class ClientCounts {
 public:
  using Count = std::shared_ptr<std::atomic<int64_t>>;

  // Increments and returns the client's count; null if it has reached `most` (0: no limit).
  Count enter(const std::string& client, int64_t most) {
    if (counts_.size() >= sweep_size_) sweep();
    Count& count = counts_[client];
    if (!count) count = std::make_shared<std::atomic<int64_t>>(0);
    if (most > 0 && *count >= most) return nullptr;
    ++*count;
    return count;
  }

 private:
  void sweep() {
    std::erase_if(counts_, [](const auto& entry) { return *entry.second == 0; });
    sweep_size_ = std::max(kSmallTable, 2 * counts_.size());
  }

  static constexpr size_t kSmallTable = 1024;

  std::unordered_map<std::string, Count> counts_;
  size_t sweep_size_ = kSmallTable;
};

}  // namespace

class HttpServer::Parts {
 public:
  Parts(HttpOptions given, HttpHandler& handler)
      : options_(std::move(given)),
        handler_(handler),
        loop_(options_, handler,
              [this](std::shared_ptr<Exchange> exchange) { return submit(std::move(exchange)); }) {
    threads_.emplace(options_.handler_threads, options_.backlog, options_.handler_niceness);
    // At most one request per connection, so no probe is ever refused.
    reserved_.emplace(1, options_.max_connections, 0);
  }
  ~Parts() {
    loop_.stop();  // releases handlers that wait for a client to read
    // Handlers wake the loop until they end, so end them first.
    threads_.reset();
    reserved_.reset();
  }

  EventLoop& loop() { return loop_; }
  void drain() { draining_ = true; }

 private:
  bool submit(std::shared_ptr<Exchange> exchange) {
    const Lane lane = handler_.lane(exchange->request());
    ClientCounts::Count of_client;
    if (!lane.is_reserved) {
      of_client = clients_.enter(lane.client, options_.max_of_client);
      if (!of_client) return false;
    }
    loop_.counters().add(&HttpCounters::requests_in_flight);
    HandlerThreads& threads = lane.is_reserved ? *reserved_ : *threads_;
    const bool taken = threads.submit([this, of_client, exchange = std::move(exchange)] {
      handle(*exchange);
      if (of_client) --*of_client;
    });
    loop_.counters().add(taken ? &HttpCounters::requests : &HttpCounters::requests_in_flight,
                         taken ? 1 : -1);
    if (!taken && of_client) --*of_client;
    return taken;
  }

  void handle(Exchange& exchange) {
    const HttpRequest& request = exchange.request();
    const LogRequest in_messages(request.id);
    Answer answer{.status = kClientClosedRequest};
    if (!exchange.abandoned()) answer = answer_to(request);
    answer.headers.emplace_back("X-Request-ID", request.id);
    loop_.counters().add(&HttpCounters::requests_in_flight, -1);
    const uint64_t bytes = exchange.respond(answer, !draining_);
    if (!options_.access_log) return;
    options_.access_log->write({.id = request.id,
                                .client = request.client,
                                .user = in_messages.user(),
                                .head = request.head,
                                .status = answer.status,
                                .bytes = bytes,
                                .time = std::chrono::steady_clock::now() - request.arrived});
  }

  // Exception texts may name files: log only.
  Answer answer_to(const HttpRequest& request) {
    try {
      Admission admission;
      if (!request.head.has_body()) admission = handler_.admit(request.head, request.client);
      return admission.refusal ? std::move(*admission.refusal) : handler_.answer(request);
    } catch (const std::exception& error) {
      spdlog::error("{} {} failed: {}", request.head.method, request.head.logged_path(),
                    error.what());
    }
    Answer answer = fault_answer(500, "The server failed; its log has the reason.");
    answer.headers = CorsPolicy(options_.cors_origins).fields(request.head.field("Origin"));
    return answer;
  }

  const HttpOptions options_;
  HttpHandler& handler_;
  std::atomic<bool> draining_ = false;
  ClientCounts clients_;
  EventLoop loop_;
  std::optional<HandlerThreads> threads_;
  std::optional<HandlerThreads> reserved_;
};

HttpServer::HttpServer(HttpOptions options, HttpHandler& handler)
    : parts_(std::make_unique<Parts>(std::move(options), handler)) {}

HttpServer::~HttpServer() = default;

int HttpServer::listen(const std::string& host, int port) {
  return parts_->loop().listen(host, port);
}

void HttpServer::stop_accepting() { parts_->loop().stop_accepting(); }

bool HttpServer::drain(std::chrono::milliseconds patience) {
  parts_->drain();
  return parts_->loop().drain(patience);
}

void HttpServer::reload_certificate() { parts_->loop().reload_certificate(); }

HttpCounters HttpServer::counters() const { return parts_->loop().counters().snapshot(); }

}  // namespace dietmt::service
