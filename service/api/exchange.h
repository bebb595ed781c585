// A request and its answer as the handlers of this folder see them: no handler knows the
// HTTP library, so that each can be called, tested and fuzzed without a socket.
#pragma once

#include <cstdint>
#include <functional>
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
  std::string key;      // from a header or the query; empty: none there
  std::string address;  // of the client
  std::function<bool()> client_gone;
  std::string host = {};  // the fields Host and Origin; empty: none there
  std::string origin = {};
  Pairs query = {};
  std::string path_part = {};            // what stands for the {...} of the route's path
  const HttpRequest* request = nullptr;  // never null in a call of the router

  /// Of the query; `otherwise` if it is not there.
  std::string parameter(const std::string& name, const std::string& otherwise) const;
};

using Handler = std::function<Answer(const Call&)>;

/// Ends a handler with this status and {"error": message}.
class HttpError : public RequestError {
 public:
  HttpError(int status, const std::string& message) : RequestError(message), status_(status) {}

  /// The same with the field of the request that is at fault.
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

/// What a client is told about the exception that ended a handler: the kinds of
/// scheduling_errors.h have their own statuses, any other RequestError is a 400. What is not the
/// client's fault is a 500 without the exception's text, which may name files: that goes to the
/// log.
Answer error_answer(std::exception_ptr error);

}  // namespace dietmt::service
