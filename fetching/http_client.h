// HTTP and HTTPS requests (libcurl), through the proxy that http_proxy, https_proxy and no_proxy
// name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace dietmt::fetching {

struct HttpOptions {
  int64_t stall_seconds = 60;  // without a byte; then the connection is given up
  int64_t retries = 3;         // of a failure that may pass, without progress between them
};

/// A request that failed.
class HttpError : public Error {
 public:
  HttpError(const std::string& message, int64_t status, bool may_pass)
      : Error(message), status_(status), may_pass_(may_pass) {}

  /// The status of the answer; 0: there was none.
  int64_t status() const { return status_; }
  /// Whether a later request may succeed.
  bool may_pass() const { return may_pass_; }

 private:
  int64_t status_;
  bool may_pass_;
};

struct HttpAnswer {
  int64_t first = 0;      // the offset of the body in the file
  int64_t size = -1;      // of the whole file; -1: unknown
  std::string validator;  // for If-Range: a strong ETag or a date; empty: none
};

/// The part of a file to ask for.
struct HttpRange {
  int64_t first = 0;
  std::string validator = {};  // if the file has changed, the answer is the whole new one
};

/// What a server answers to a request with a body, whatever the status.
struct HttpReply {
  int64_t status = 0;
  std::string body = {};
  int64_t retry_after = 0;  // seconds to wait before the next request, as the server asks; 0: none
};

struct HttpPost {
  std::string url = {};
  std::vector<std::string> headers = {};  // "Name: value"
  std::string body = {};
  int64_t seconds = 120;         // for the whole request
  size_t most_bytes = 16 << 20;  // of the reply
};

bool is_http_url(std::string_view text);

/// Whether the same request may succeed later: time-out, too many requests, errors of the server.
bool may_pass(int64_t status);

class HttpClient {
 public:
  explicit HttpClient(HttpOptions options);
  ~HttpClient();

  const HttpOptions& options() const { return options_; }

  /// Calls `start` once before the first bytes, and `take` for each piece of the body; both may
  /// throw, which ends the request. Follows redirects, of HTTPS only to HTTPS. Throws HttpError
  /// with the URL and the reason, also for an answer that is cut short.
  void get(const std::string& url, const HttpRange& range,
           const std::function<void(const HttpAnswer&)>& start,
           const std::function<void(std::string_view)>& take);

  /// A text of at most `most` bytes; throws Error for more.
  std::string text(const std::string& url, size_t most);

  /// Follows no redirects, so that headers with secrets stay on the server that they are for.
  /// Throws HttpError if there is no whole reply.
  HttpReply post(const HttpPost& request);

  /// Calls `request` until it succeeds, with pauses after HttpErrors that may pass. `progress`
  /// counts what has arrived: after progress, counting of failures starts over.
  void with_retries(const std::function<void()>& request,
                    const std::function<int64_t()>& progress) const;

 private:
  struct Transfer;

  /// Forgets the request before and sets what all have in common. `reason`: for libcurl's words.
  void prepare(const std::string& url, char* reason);

  HttpOptions options_;
  std::unique_ptr<void, void (*)(void*)> curl_;
};

}  // namespace dietmt::fetching
