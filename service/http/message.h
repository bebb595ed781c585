// Requests and answers as the code behind an HttpServer sees them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/http/spooled_bytes.h"

namespace dietmt::service {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// A request line and its header fields, checked.
struct RequestHead {
  std::string method;
  std::string target;     // as sent: path and query, percent-encoded
  std::string path = {};  // decoded
  Pairs fields = {};      // without those of the connection, such as Content-Length and Expect
  bool http_1_0 = false;
  bool keep_alive = true;
  bool expects_continue = false;
  bool chunked = false;
  uint64_t content_length = 0;  // 0 if chunked

  bool has_body() const { return chunked || content_length > 0; }
  /// The value of a field, whatever the case of its name; empty if it is missing.
  const std::string& field(std::string_view name) const;
};

/// A request that has arrived as a whole.
struct HttpRequest {
  RequestHead head = {};
  std::unique_ptr<SpooledBytes> body = nullptr;
  std::string client = {};  // its address
  /// Becomes true once the client has closed its side, and probably no longer waits.
  std::shared_ptr<std::atomic<bool>> client_gone = nullptr;
};

struct Answer {
  int status = 200;
  std::string body = {};
  std::string type = "application/json";
  Pairs headers = {};
  /// If set, the source of the body: called for piece after piece until it returns none. If it
  /// throws, the connection ends before the body does.
  std::function<std::optional<std::string>()> pieces = nullptr;
};

/// What a request is told once its head has been read.
struct Admission {
  std::optional<Answer> refusal = {};
  bool may_spool = true;  // false: its body must fit in memory
};

/// What a server serves.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  /// Called once per request. If a body follows, before `100 Continue` is sent or a byte of the
  /// body is read, by the thread that serves all connections: it must return at once.
  virtual Admission admit(const RequestHead& /*head*/) { return {}; }

  /// Called by many threads at once for requests that were admitted. An exception becomes 500.
  virtual Answer answer(const HttpRequest& request) = 0;
};

}  // namespace dietmt::service
