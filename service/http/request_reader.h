// Parses requests from a connection's bytes, which arrive in pieces of any size.
//
//   RequestReader reader(limits, budget);
//   while (!bytes.empty()) {
//     bytes.remove_prefix(reader.feed(bytes));
//     if (reader.stage() == RequestReader::Stage::kComplete) serve(reader.take());
//   }
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "service/http/message.h"

namespace dietmt::service {

/// Maximum bytes in a request line or a header field.
constexpr size_t kMaxHeadLine = 8000;

struct ReadLimits {
  size_t head = 0;
  uint64_t body = 0;
  std::map<std::string, uint64_t> body_below = {};  // by path prefix; the longest one wins
  std::string large_body_advice = {};               // see HttpOptions
};

/// Thrown if the handler does not admit a request.
struct Refusal {
  Answer answer;
};

class RequestReader {
 public:
  enum class Stage { kEmpty, kHead, kBody, kComplete };

  /// The references must outlive the reader. `handler`, if any, admits requests with a body from
  /// the client at this address.
  RequestReader(const ReadLimits& limits, SpoolBudget& budget, HttpHandler* handler = nullptr,
                std::string client = "");
  ~RequestReader();

  /// Consumes bytes up to the end of the request and returns how many: all of them unless the
  /// request is complete. After RequestFault or Refusal the caller must answer and close the
  /// connection. Ambiguous requests are faults: two lengths, both framings, bare CR or LF, folded
  /// lines, spaces before a colon, a missing Host.
  size_t feed(std::string_view bytes);

  Stage stage() const { return stage_; }

  /// True, once per request, if the client waits for `100 Continue` before it sends the body.
  bool take_continue();

  /// The head of the current request. If it is incomplete or malformed, only the fields Origin and
  /// X-Request-ID, if they have arrived.
  RequestHead head() const;

  /// Returns the complete request and starts the next one.
  HttpRequest take();

 private:
  class Parser;

  size_t feed_head(std::string_view bytes);
  void check_head_so_far() const;
  void begin_body(size_t head_size);

  const ReadLimits& limits_;
  SpoolBudget& budget_;
  HttpHandler* const handler_;
  const std::string client_;
  Stage stage_ = Stage::kEmpty;
  bool owes_continue_ = false;
  std::string head_;                      // until the head is complete
  std::unique_ptr<HttpRequest> request_;  // from then on
  std::unique_ptr<Parser> parser_;        // while its body arrives
};

}  // namespace dietmt::service
