#include "service/http/http_server.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/process.h"
#include "service/http/access_log.h"
#include "service/http/event_loop.h"
#include "service/http/message.h"

namespace dietmt::service {
namespace {

// A thread pool that grows on demand up to a limit, with a bounded queue.
class HandlerThreads {
 public:
  HandlerThreads(int64_t max_threads, int64_t max_backlog, int niceness)
      : max_threads_(max_threads), max_backlog_(max_backlog), niceness_(niceness) {}
  // Waits for all accepted work.
  ~HandlerThreads();
  HandlerThreads(const HandlerThreads&) = delete;
  HandlerThreads& operator=(const HandlerThreads&) = delete;

  // False if all threads are busy and the queue is full. `work` must not throw.
  bool submit(std::function<void()> work);

 private:
  void run();
  bool add_thread();

  const int64_t max_threads_;
  const int64_t max_backlog_;
  const int niceness_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> queue_;
  std::vector<std::thread> threads_;
  int64_t busy_ = 0;
  bool ending_ = false;
};

HandlerThreads::~HandlerThreads() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool HandlerThreads::submit(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    const auto waiting = static_cast<int64_t>(queue_.size());
    const int64_t free = static_cast<int64_t>(threads_.size()) - busy_;
    if (waiting >= free && !add_thread() && waiting - free >= max_backlog_) return false;
    queue_.push_back(std::move(work));
  }
  ready_.notify_one();
  return true;
}

bool HandlerThreads::add_thread() {
  if (static_cast<int64_t>(threads_.size()) >= max_threads_) return false;
  try {
    threads_.emplace_back([this] { run(); });
    return true;
  } catch (const std::system_error& error) {
    spdlog::warn("Cannot start handler thread {}: {}.", threads_.size() + 1, error.what());
    return false;
  }
}

void HandlerThreads::run() {
  give_way(niceness_);
  std::unique_lock lock(mutex_);
  while (true) {
    ready_.wait(lock, [&] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    ++busy_;
    lock.unlock();
    work();
    lock.lock();
    --busy_;
  }
}

constexpr int kClientClosedRequest = 499;  // only in the log; no client sees it

// The requests of each client that are in progress.
class ClientCounts {
 public:
  // False if the client has `most` already; 0: no limit.
  bool enter(const std::string& client, int64_t most) {
    const std::lock_guard lock(mutex_);
    const auto found = counts_.find(client);
    if (most > 0 && found != counts_.end() && found->second >= most) return false;
    ++counts_[client];
    return true;
  }

  void leave(const std::string& client) {
    const std::lock_guard lock(mutex_);
    const auto found = counts_.find(client);
    if (--found->second == 0) counts_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, int64_t> counts_;
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
    // Each connection has at most one request, so that no probe is ever refused.
    reserved_.emplace(1, options_.max_connections, 0);
  }
  ~Parts() {
    loop_.stop();  // releases handlers that wait for a client to read
    // Before the loop is destroyed, since handlers wake it until they end.
    threads_.reset();
    reserved_.reset();
  }

  EventLoop& loop() { return loop_; }
  void drain() { draining_ = true; }

 private:
  bool submit(std::shared_ptr<Exchange> exchange) {
    const Lane lane = handler_.lane(exchange->request());
    if (!lane.is_reserved && !clients_.enter(lane.client, options_.max_of_client)) return false;
    loop_.counters().add(&HttpCounters::requests_in_flight);
    HandlerThreads& threads = lane.is_reserved ? *reserved_ : *threads_;
    const bool taken = threads.submit([this, lane, exchange = std::move(exchange)] {
      handle(*exchange);
      if (!lane.is_reserved) clients_.leave(lane.client);
    });
    loop_.counters().add(taken ? &HttpCounters::requests : &HttpCounters::requests_in_flight,
                         taken ? 1 : -1);
    if (!taken && !lane.is_reserved) clients_.leave(lane.client);
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

  // The text of an exception stays in the log, since it may name files.
  Answer answer_to(const HttpRequest& request) {
    try {
      Admission admission;
      if (!request.head.has_body()) admission = handler_.admit(request.head);
      return admission.refusal ? std::move(*admission.refusal) : handler_.answer(request);
    } catch (const std::exception& error) {
      spdlog::error("{} {} failed: {}", request.head.method, request.head.raw_path(), error.what());
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
