#include "service/http/http_server.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "service/http/request_fault.h"

namespace dietmt::service {
namespace {

thread_local const Exchange* current_exchange = nullptr;

void set_error(httplib::Response& response, const std::string& text) {
  response.set_content(error_body(text), "application/json");
}

// The client is not told what an exception says: it may name files.
void answer_exception(const httplib::Request& request, httplib::Response& response,
                      std::exception_ptr failure) {
  std::string reason = "unknown exception";
  try {
    std::rethrow_exception(std::move(failure));
  } catch (const std::exception& error) {
    reason = error.what();
  } catch (...) {
  }
  spdlog::error("{} {} failed: {}", request.method, request.path, reason);
  response.status = 500;
  set_error(response, "The server failed; its log has the reason.");
}

void answer_error_without_body(const httplib::Request&, httplib::Response& response) {
  if (!response.body.empty()) return;
  set_error(response, response.status == 404 ? "There is nothing here."
                                             : "The request was refused with status " +
                                                   std::to_string(response.status) + ".");
}

}  // namespace

HttpServer::HttpServer(HttpOptions options)
    : options_(std::move(options)),
      budget_{options_.body_memory, options_.all_bodies_memory, options_.all_bodies_disk,
              options_.spool_directory},
      loop_(options_, budget_, counters_,
            [this](std::shared_ptr<Exchange> exchange) { return submit(std::move(exchange)); }) {
  threads_.emplace(options_.handler_threads, options_.backlog);
  set_exception_handler(answer_exception);
  set_error_handler(answer_error_without_body);
  // What cpp-httplib tells clients in the field Keep-Alive.
  set_keep_alive_timeout(
      std::chrono::duration_cast<std::chrono::seconds>(options_.idle_timeout).count());
  set_keep_alive_max_count(1000000);
}

HttpServer::~HttpServer() {
  loop_.stop();      // handlers that wait for a client to read wait no more
  threads_.reset();  // they wake the loop until they are done, so it is destroyed after them
}

int HttpServer::listen(const std::string& host, int port) {
  // cpp-httplib sends what content providers make only while it has a socket that listens. It uses
  // the number for nothing else, since its own listen() is never called.
  svr_sock_ = 0;
  return loop_.listen(host, port);
}

void HttpServer::stop_accepting() { loop_.stop_accepting(); }

bool HttpServer::drain(std::chrono::milliseconds patience) {
  draining_ = true;
  return loop_.drain(patience);
}

std::shared_ptr<const std::atomic<bool>> HttpServer::client_gone() {
  static const auto kNever = std::make_shared<const std::atomic<bool>>(false);
  return current_exchange != nullptr ? current_exchange->client_gone() : kNever;
}

const SpooledBytes* HttpServer::request_body() {
  return current_exchange != nullptr ? &current_exchange->body() : nullptr;
}

bool HttpServer::submit(std::shared_ptr<Exchange> exchange) {
  counters_.add(&HttpCounters::requests_in_flight);
  if (threads_->submit([this, exchange = std::move(exchange)] { handle(*exchange); })) {
    counters_.add(&HttpCounters::requests);
    return true;
  }
  counters_.add(&HttpCounters::requests_in_flight, -1);
  return false;
}

void HttpServer::handle(Exchange& exchange) {
  bool whole = false;
  if (!exchange.abandoned()) {
    current_exchange = &exchange;
    try {
      bool ignored = false;
      whole = process_request(exchange, draining_ || !exchange.head().keep_alive, ignored, nullptr);
    } catch (const std::exception& error) {
      spdlog::error("{} {} failed: {}", exchange.head().method, exchange.head().target,
                    error.what());
    }
    current_exchange = nullptr;
    if (!whole && !exchange.response_begun()) {
      exchange.write(
          fault_response(500, "The server failed; its log has the reason.", 0,
                         CorsPolicy(options_.cors_origins).fields(exchange.head().origin)));
    }
  }
  counters_.add(&HttpCounters::requests_in_flight, -1);
  exchange.finish(whole);
}

}  // namespace dietmt::service
