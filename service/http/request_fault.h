// A request that the connection layer answers itself, because no handler could.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/error.h"

namespace dietmt::service {

/// `status` is the HTTP status to answer with, what() the sentence for the client.
class RequestFault : public RequestError {
 public:
  RequestFault(int status, const std::string& text) : RequestError(text), status_(status) {}

  int status() const { return status_; }

 private:
  int status_;
};

/// {"error": text}; what is not UTF-8 in the text, which may come from a client, is replaced.
std::string error_body(const std::string& text);

/// Header fields by name.
using HeaderFields = std::vector<std::pair<std::string, std::string>>;

/// A complete response that closes the connection, with the body {"error": text} and `fields`.
/// Overload (503) also asks the client to come back after `retry_after` seconds.
std::string fault_response(int status, const std::string& text, int retry_after,
                           const HeaderFields& fields);

}  // namespace dietmt::service
