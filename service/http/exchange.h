// One request on its way through a handler: what has been read of it, and what the handler writes
// until the event loop sends it. A stream for cpp-httplib on one side, a bounded pipe on the other.
#pragma once

#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "service/http/request_reader.h"

namespace dietmt::service {

struct Endpoint {
  std::string address;
  int port = 0;
};

/// What the exchanges of a server share, so that clients who read slowly hold few handler threads.
struct OutputLimits {
  size_t buffer = 0;     // bytes that an exchange keeps for the loop
  int64_t may_wait = 0;  // handler threads that may wait at once until their client has read
  SpoolBudget& spool;    // for what the others write beyond the buffer
  std::atomic<int64_t> waiting = 0;
};

/// A handler thread calls what httplib::Stream has, and finish(); the loop calls the rest.
class Exchange final : public httplib::Stream {
 public:
  /// `wake` is called by the handler's thread when there is something to take. `limits` outlive the
  /// exchange.
  Exchange(CompleteRequest request, Endpoint client, Endpoint server, OutputLimits& limits,
           std::function<void()> wake);

  /// The head, then the body.
  ssize_t read(char* to, size_t count) override;
  /// While the buffer is full it waits, or spools where too many threads wait already. All of it is
  /// taken, or -1 says that the client has gone or that there is no room to spool.
  ssize_t write(const char* from, size_t count) override;
  bool is_readable() const override { return true; }
  bool is_writable() const override { return !abandoned(); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  /// None: cpp-httplib must not wait for it, nor refuse a high number.
  socket_t socket() const override { return INVALID_SOCKET; }

  using Stream::write;

  bool response_begun() const { return head_written_; }

  /// The handler has returned. `reusable`: the response is whole.
  void finish(bool reusable);

  const RequestHead& head() const { return request_.head; }
  const SpooledBytes& body() const { return *request_.body; }

  struct Output {
    std::string bytes;
    bool finished = false;    // nothing follows
    bool keep_alive = false;  // if finished: another request may follow
  };
  /// What has been written since the last call.
  Output take_output();

  /// The client has closed its side, and probably waits no more; what is written is still sent.
  void note_client_gone() { *client_gone_ = true; }
  /// Nothing more can be sent.
  void abandon();
  bool abandoned() const;

  std::shared_ptr<const std::atomic<bool>> client_gone() const { return client_gone_; }

 private:
  void note_response_head(std::string_view head);
  void make_room(std::unique_lock<std::mutex>& lock);
  std::string take_overflow();

  const CompleteRequest request_;
  const std::string head_;  // as cpp-httplib reads it
  const Endpoint client_;
  const Endpoint server_;
  OutputLimits& limits_;
  const std::function<void()> wake_;
  const std::shared_ptr<std::atomic<bool>> client_gone_;
  uint64_t read_ = 0;          // of head and body
  bool head_written_ = false;  // of the response

  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::string output_;
  std::unique_ptr<SpooledBytes> overflow_;  // what follows output_; null: nothing
  uint64_t overflow_taken_ = 0;
  bool abandoned_ = false;
  bool finished_ = false;
  bool keep_alive_;
};

}  // namespace dietmt::service
