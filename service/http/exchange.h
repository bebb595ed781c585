// One request on its way through a handler, and a bounded pipe for the answer from the handler's
// thread to the event loop.
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

/// Limits that the exchanges of a server share, so that slow clients block few handler threads.
struct OutputLimits {
  size_t buffer = 0;     // bytes that an exchange buffers for the loop
  int64_t may_wait = 0;  // handler threads that may wait for their clients at a time
  SpoolBudget& spool;    // for the output of the others beyond the buffer
  std::atomic<int64_t> waiting = 0;
};

class Exchange {
 public:
  /// The handler's thread calls `wake` when there is output to take. `limits` outlives the
  /// exchange.
  Exchange(HttpRequest request, OutputLimits& limits, std::function<void()> wake);

  const HttpRequest& request() const { return request_; }

  /// For the handler's thread. Sends the whole answer, unless making it fails or the client leaves.
  /// `keep_alive`: the server would accept another request. Returns the bytes of the body that were
  /// written.
  uint64_t respond(const Answer& answer, bool keep_alive);

  struct Output {
    std::string bytes;
    bool finished = false;    // nothing follows
    bool keep_alive = false;  // if finished: another request may follow
  };
  /// The output since the last call.
  Output take_output();

  /// The client has closed its side and probably no longer waits. Output is still sent.
  void note_client_gone() { *request_.client_gone = true; }
  /// Nothing more can be sent.
  void abandon();
  bool abandoned() const;

 private:
  bool write(std::string_view bytes);
  void finish(std::string_view last, bool keep_alive);
  bool write_pieces(const Answer& answer, bool chunked, uint64_t& bytes);
  void make_room(std::unique_lock<std::mutex>& lock);
  std::string take_overflow();

  const HttpRequest request_;
  OutputLimits& limits_;
  const std::function<void()> wake_;

  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::string output_;
  std::unique_ptr<SpooledBytes> overflow_;  // output after output_; null: none
  uint64_t overflow_taken_ = 0;
  bool abandoned_ = false;
  bool finished_ = false;
  bool keep_alive_ = false;
};

/// How the client finds the end of the body.
enum class Framing { kNoBody, kLength, kChunked, kUntilClose };

Framing framing_of(const Answer& answer, const RequestHead& request);

/// Status line and header fields, with the empty line.
std::string answer_head(const Answer& answer, Framing framing, bool keep_alive);

/// A whole answer that closes the connection, for a request that was not read to its end.
std::string closing_answer(const Answer& answer);

/// A chunk of a chunked body; an empty one ends the body.
std::string chunk_of(std::string_view piece);

}  // namespace dietmt::service
