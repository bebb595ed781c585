// A request and its answer, as handlers see them. Handlers do not use the HTTP library, so they can
// be called, tested and fuzzed without a socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "service/http/message.h"

namespace dietmt::service {

struct Call {
  std::string content_type;  // in lower case, without parameters; empty: none
  std::string body;
  Pairs form;           // fields of a multipart body
  std::string key;      // from a header or the query; empty: missing there
  std::string address;  // of the client
  std::function<bool()> client_gone;
  std::string host = {};  // the fields Host and Origin; empty: missing
  std::string origin = {};
  Pairs query = {};
  std::string path_part = {};            // at the placeholder of the route's path
  std::string url_prefix = {};           // of the server's, in front of the request's path
  const HttpRequest* request = nullptr;  // set by the router; null in tests of handlers
  std::string client = {};               // shares its turns with no other
  /// The latest that the server allows; a request may ask for an earlier one.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  /// The value of a query parameter; `otherwise` if it is missing.
  std::string parameter(const std::string& name, const std::string& otherwise) const;
};

using Handler = std::function<Answer(const Call&)>;

/// Ends a handler with this status and {"error": message}.
class HttpError : public RequestError {
 public:
  HttpError(int status, const std::string& message) : RequestError(message), status_(status) {}

  /// 400, with the wrong field of the request.
  static HttpError of_option(const std::string& option, const std::string& message) {
    HttpError error(400, message);
    error.option_ = option;
    return error;
  }

  HttpError with_header(const std::string& name, const std::string& value) const {
    HttpError error = *this;
    error.headers_.emplace_back(name, value);
    return error;
  }

  int status() const { return status_; }
  const std::string& option() const { return option_; }
  const Pairs& headers() const { return headers_; }

 private:
  int status_;
  std::string option_;
  Pairs headers_;
};

/// The body of an error in another service's form, for a status and a message.
using ErrorBody = std::function<nlohmann::ordered_json(int status, const std::string& message)>;

/// Replaces invalid UTF-8, which may come from a model.
Answer json_answer(const nlohmann::ordered_json& body, int status = 200);

/// The answer to an exception of a handler. The errors of scheduling_errors.h have their own
/// statuses; any other RequestError is a 400. Other exceptions are not the client's fault: they
/// become a 500, and their text, which may name files, goes to the log. `form`: null: the own one.
Answer error_answer(std::exception_ptr error, const ErrorBody& form = nullptr);

}  // namespace dietmt::service
