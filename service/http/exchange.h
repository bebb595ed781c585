// One request on its way through a handler, and a bounded pipe for the answer: the handler's thread
// writes until the event loop has sent.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "service/http/message.h"

namespace dietmt::service {

/// What the exchanges of a server share, so that clients who read slowly hold few handler threads.
struct OutputLimits {
  size_t buffer = 0;     // bytes that an exchange keeps for the loop
  int64_t may_wait = 0;  // handler threads that may wait at once until their client has read
  SpoolBudget& spool;    // for what the others write beyond the buffer
  std::atomic<int64_t> waiting = 0;
};

class Exchange {
 public:
  /// `wake` is called by the handler's thread when there is something to take. `limits` outlive the
  /// exchange.
  Exchange(HttpRequest request, OutputLimits& limits, std::function<void()> wake);

  const HttpRequest& request() const { return request_; }

  /// For the handler's thread. Sends all of the answer, as far as it can be made and the client
  /// stays. `keep_alive`: the server would serve another request.
  void respond(const Answer& answer, bool keep_alive);

  struct Output {
    std::string bytes;
    bool finished = false;    // nothing follows
    bool keep_alive = false;  // if finished: another request may follow
  };
  /// What has been written since the last call.
  Output take_output();

  /// The client has closed its side, and probably waits no more; what is written is still sent.
  void note_client_gone() { *request_.client_gone = true; }
  /// Nothing more can be sent.
  void abandon();
  bool abandoned() const;

 private:
  bool write(std::string_view bytes);
  void finish(std::string_view last, bool keep_alive);
  bool write_pieces(const Answer& answer, bool chunked);
  void make_room(std::unique_lock<std::mutex>& lock);
  std::string take_overflow();

  const HttpRequest request_;
  OutputLimits& limits_;
  const std::function<void()> wake_;

  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::string output_;
  std::unique_ptr<SpooledBytes> overflow_;  // what follows output_; null: nothing
  uint64_t overflow_taken_ = 0;
  bool abandoned_ = false;
  bool finished_ = false;
  bool keep_alive_ = false;
};

}  // namespace dietmt::service
