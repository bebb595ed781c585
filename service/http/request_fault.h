// Requests that the connection layer answers itself, because no handler could.
#pragma once

#include <string>

#include "common/error.h"
#include "service/http/message.h"

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

/// Overload (503) also asks the client to come back after `retry_after` seconds.
Answer fault_answer(int status, const std::string& text, int retry_after = 1);

}  // namespace dietmt::service
