// Requests and answers between an HttpServer and its handler.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "service/http/spooled_bytes.h"

namespace dietmt::service {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// A URL without query and fragment, which may contain keys and texts.
inline std::string_view without_query(std::string_view address) {
  return address.substr(0, address.find_first_of("?#"));
}

/// A valid request line with its header fields.
struct RequestHead {
  std::string method;
  std::string target;     // as sent: path and query, percent-encoded
  std::string path = {};  // decoded
  Pairs fields = {};      // except connection fields such as Content-Length
  bool http_1_0 = false;
  bool keep_alive = true;
  bool expects_continue = false;
  bool chunked = false;
  uint64_t content_length = 0;  // 0 if chunked

  /// The path as sent, without the query.
  std::string_view raw_path() const { return without_query(target); }
  /// raw_path() for logs. Hides the names of translated files, since a name suffices to fetch one.
  std::string_view logged_path() const {
    constexpr std::string_view kFiles = "/download_file/";
    const size_t at = path.find(kFiles);
    return at != path.npos && path.size() > at + kFiles.size() ? "/download_file/..." : raw_path();
  }
  bool has_body() const { return chunked || content_length > 0; }
  /// The value of a field; empty if it is missing. Ignores the case of `name`.
  const std::string& field(std::string_view name) const;
};

/// A complete request.
struct HttpRequest {
  RequestHead head = {};
  std::unique_ptr<SpooledBytes> body = nullptr;
  std::string client = {};  // its address
  std::string id = {};      // from X-Request-ID, or random; repeated in the answer
  std::chrono::steady_clock::time_point arrived = {};
  /// True once the client has closed its side and has probably left.
  std::shared_ptr<std::atomic<bool>> client_gone = nullptr;
};

struct Answer {
  int status = 200;
  std::string body = {};
  std::string type = "application/json";
  Pairs headers = {};
  /// If set, produces the body piece by piece and returns nullopt at the end. If it throws, the
  /// server closes the connection mid-body.
  std::function<std::optional<std::string>()> pieces = nullptr;
  std::optional<uint64_t> length = {};  // of all pieces, if it is known
};

/// The decision on a request after its head.
struct Admission {
  std::optional<Answer> refusal = {};
  bool may_spool = true;  // false: the body must fit in memory
};

/// Which thread handles a request.
struct Lane {
  bool is_reserved = false;  // the thread kept free for these at any load
  std::string client = {};   // otherwise: whose share of the handler threads it uses
};

/// Answers a server's requests.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  /// Called once per request. If a body follows, the event loop's thread calls it before it sends
  /// `100 Continue` or reads a byte of the body, so it must return at once. `client`: its address.
  virtual Admission admit(const RequestHead& /*head*/, const std::string& /*client*/) { return {}; }

  /// Called by the event loop's thread for complete requests, so it must return at once.
  virtual Lane lane(const HttpRequest& request) { return {.client = request.client}; }

  /// Called by several threads at once, for admitted requests. An exception becomes 500.
  virtual Answer answer(const HttpRequest& request) = 0;
};

/// A request that the connection layer rejects, with the answer's status; what() is the message for
/// the client.
class RequestFault : public RequestError {
 public:
  RequestFault(int status, const std::string& text) : RequestError(text), status_(status) {}

  int status() const { return status_; }

 private:
  int status_;
};

/// {"error": text}. Replaces invalid UTF-8, which may come from a client.
std::string error_body(const std::string& text);

/// A 503 also gets Retry-After.
Answer fault_answer(int status, const std::string& text, int retry_after = 1);

/// Which other sites' pages may read answers in a browser (--cors-origin):
/// https://fetch.spec.whatwg.org/#http-cors-protocol
class CorsPolicy {
 public:
  /// Origins such as "https://site.example"; "*": all. Empty: pages of other sites are not allowed.
  explicit CorsPolicy(std::vector<std::string> origins) : origins_(std::move(origins)) {}

  /// The CORS fields of an answer to a page of `origin`; empty if the request has no Origin or the
  /// server did not read that far.
  std::vector<std::pair<std::string, std::string>> fields(const std::string& origin) const;

  bool allows(const std::string& origin) const { return has("*") || has(origin); }

  /// True for "*" and for scheme://host[:port] as browsers write it.
  static bool is_origin(const std::string& text);

 private:
  bool has(const std::string& origin) const;

  std::vector<std::string> origins_;
};

}  // namespace dietmt::service
