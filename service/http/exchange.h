// One request and a bounded pipe that carries its answer from the handler's thread to the event
// loop.
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

/// Limits shared by all exchanges, so that slow clients cannot tie up the handler threads.
struct OutputLimits {
  size_t buffer = 0;     // bytes buffered per exchange
  int64_t may_wait = 0;  // handler threads that may wait for clients at once
  SpoolBudget& spool;    // for the other threads' output beyond the buffer
  std::atomic<int64_t> waiting = 0;
};

class Exchange {
 public:
  /// The handler's thread calls `wake` when there is output to take. `limits` outlives the
  /// exchange.
  Exchange(HttpRequest request, OutputLimits& limits, std::function<void()> wake);

  const HttpRequest& request() const { return request_; }

  /// Called by the handler's thread. Sends the whole answer unless producing it fails or the client
  /// leaves. `keep_alive`: the server would accept another request. Returns the body bytes written.
  uint64_t respond(const Answer& answer, bool keep_alive);

  struct Output {
    std::string bytes;
    bool finished = false;    // nothing follows
    bool keep_alive = false;  // if finished: another request may follow
  };
  /// The output since the last call.
  Output take_output();

  /// The client has closed its side and has probably left. Output is still sent.
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
  std::unique_ptr<SpooledBytes> overflow_;  // follows output_; null: none
  uint64_t overflow_taken_ = 0;
  bool abandoned_ = false;
  bool finished_ = false;
  bool keep_alive_ = false;
};

/// How the end of the body is marked.
enum class Framing { kNoBody, kLength, kChunked, kUntilClose };

Framing framing_of(const Answer& answer, const RequestHead& request);

/// The status line, header fields and empty line.
std::string answer_head(const Answer& answer, Framing framing, bool keep_alive);

/// A complete answer that closes the connection, for a request not read to its end.
std::string closing_answer(const Answer& answer);

/// A chunk of a chunked body; an empty one ends the body.
std::string chunk_of(std::string_view piece);

}  // namespace dietmt::service
